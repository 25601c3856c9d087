import type { LinkFault } from '../shared/ask-view.ts';
import { html } from './html.ts';
import { page } from './page.ts';

const FAULTS: Record<LinkFault, { readonly title: string; readonly text: string }> = {
  unknown: {
    title: 'There is no such ask',
    text: 'The address names no ask of this system. It may be cut off: copy the whole link.',
  },
  tampered: {
    title: 'This link is not valid',
    text: 'Part of the address does not fit the rest, so it shows nothing. It may be cut off or changed: copy the whole link.',
  },
  expired: { title: 'This link has expired', text: 'Links work for a limited time. The ask itself may still be open.' },
  revoked: {
    title: 'This link was taken back',
    text: 'Who runs the agent took it back, or sent another in its place. The ask itself may still be open.',
  },
  'other-recipient': {
    title: 'This link was made for somebody else',
    text: 'Each link is for one recipient, and part of this one comes from another’s. Use the link that was sent to you, whole.',
  },
};

/** The page of a link that shows no ask. */
export function linkFaultPage(fault: LinkFault): string {
  const { title, text } = FAULTS[fault];
  return page(
    title,
    html`<h1>${title}</h1>
<p>${text}</p>
<p>Nothing was decided by opening it. Who runs the agent can see every open ask with <code>holdfast asks</code>, and answer it with <code>holdfast answer</code>.</p>`,
  );
}
