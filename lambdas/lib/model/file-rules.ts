import { PICTURE_TYPES } from '../../../shared/picture.ts';
import type { RemoteModelName } from './model-name.ts';

/** What of files a provider's requests may hold. Bytes are those of base64, as they are sent. */
export interface FileRules {
  readonly mediaTypes: readonly string[];
  /** Whether it takes a GIF that moves: where it does not, the whole request would be refused. */
  readonly animatedGifs: boolean;
  /** Whether results of calls take them; elsewhere they follow, in a message of the user. */
  readonly inResults: boolean;
  /** All of them together: the limit of a request's body, less room for all else. */
  readonly requestBytes: number;
  readonly pictures: number;
  readonly pictureBytes: number;
  /** The longest side of a picture, pixels. */
  readonly side: number;
  /** With more pictures than this in a request, none may have a longer side. */
  readonly many: { readonly pictures: number; readonly side: number };
  readonly documents: number;
  readonly documentBytes: number;
}

const PDF = 'application/pdf';
const MB = 1_000_000;

/**
 * The limits as their documents say them in November 2026:
 *
 * - Anthropic: https://platform.claude.com/docs/en/build-with-claude/vision and /pdf-support: 32 MB a request; 100 pictures where the
 *   context window has 200,000 tokens, 600 elsewhere (the lower number counts here); 8,000 pixels, and 2,000 with more than 20
 *   pictures; 5 MB each (5 x 1,048,576 bytes, of base64).
 * - Bedrock: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Message.html: 20 pictures of 3.75 MB and 8,000
 *   pixels, five documents of 4.5 MB; 20 MB a request for its Claude models.
 * - OpenAI: https://platform.openai.com/docs/guides/images-vision and /pdf-files: 500 pictures, 50 MB of files a request, no animated
 *   GIFs.
 * - Compatible servers say nothing that holds for all of them: the lowest of the above.
 */
const RULES: Record<RemoteModelName['provider'], FileRules> = {
  anthropic: {
    mediaTypes: [...PICTURE_TYPES, PDF],
    animatedGifs: true,
    inResults: true,
    requestBytes: 26 * MB,
    pictures: 100,
    pictureBytes: 5 * 1_048_576,
    side: 8_000,
    many: { pictures: 20, side: 2_000 },
    documents: 20,
    documentBytes: 26 * MB,
  },
  bedrock: {
    mediaTypes: [...PICTURE_TYPES, PDF],
    animatedGifs: true,
    inResults: true,
    requestBytes: 15 * MB,
    pictures: 20,
    pictureBytes: 5 * MB,
    side: 8_000,
    many: { pictures: 20, side: 2_000 },
    documents: 5,
    documentBytes: 6 * MB,
  },
  openai: {
    mediaTypes: [...PICTURE_TYPES, PDF],
    animatedGifs: false,
    inResults: true,
    requestBytes: 40 * MB,
    pictures: 500,
    pictureBytes: 26 * MB,
    side: 65_500,
    many: { pictures: 500, side: 65_500 },
    documents: 100,
    documentBytes: 40 * MB,
  },
  'openai-compatible': {
    mediaTypes: [...PICTURE_TYPES],
    animatedGifs: false,
    inResults: false,
    requestBytes: 15 * MB,
    pictures: 20,
    pictureBytes: 5 * MB,
    side: 8_000,
    many: { pictures: 20, side: 2_000 },
    documents: 0,
    documentBytes: 0,
  },
};

/** The rules for files of a provider. */
export const fileRules = (provider: RemoteModelName['provider']): FileRules => RULES[provider];
