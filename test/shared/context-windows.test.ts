import { expect, test } from 'vitest';
import { contextWindow, UNKNOWN_WINDOW } from '../../shared/context-windows.ts';

test.each([
  ['anthropic/claude-opus-5-5', 1_000_000],
  ['anthropic/claude-haiku-4-5', 200_000],
  ['bedrock/us.anthropic.claude-sonnet-5-20260630-v1:0', 1_000_000],
  ['bedrock/eu.amazon.nova-pro-v1:0', 300_000],
  ['openai/gpt-5.2', 272_000],
  ['openai/gpt-4o-mini', 128_000],
])('contextWindow() knows %s by its provider', (model, tokens) => expect(contextWindow(model)).toEqual({ tokens, known: true }));

test.each(['openai-compatible/vendor/llama', 'scripted/story', 'openai/o', ''])('contextWindow() guesses low for "%s"', (model) =>
  expect(contextWindow(model)).toEqual({ tokens: UNKNOWN_WINDOW, known: false }),
);
