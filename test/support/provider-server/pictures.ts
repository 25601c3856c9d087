import { pictureOf } from '../../../shared/picture.ts';

/** What an API holds pictures to. */
export interface PictureLimits {
  readonly pictures: number;
  /** With more pictures than this, none may have a longer side. */
  readonly many: number;
  readonly manySide: number;
  readonly side: number;
  /** Of base64. */
  readonly pictureBytes: number;
  readonly requestBytes: number;
}

interface SentPicture {
  readonly mediaType: string;
  readonly data: string;
}

/** Says why a request's pictures are refused. */
export function picturesFault(limits: PictureLimits, body: unknown, pictures: readonly SentPicture[]): string | undefined {
  if (JSON.stringify(body).length > limits.requestBytes) return 'Request exceeds the maximum size';
  if (pictures.length > limits.pictures) return `too many images: ${pictures.length} > ${limits.pictures}`;
  const side = pictures.length > limits.many ? limits.manySide : limits.side;
  for (const { mediaType, data } of pictures) {
    const found = pictureOf(Buffer.from(data.slice(0, 2_000), 'base64'));
    if (found?.mediaType !== mediaType) return `The image was specified using the ${mediaType} media type, but it is not one`;
    if (Math.max(found.width, found.height) > side) return `At least one of the image dimensions exceed max allowed size: ${side} pixels`;
    if (data.length > limits.pictureBytes) return `image exceeds the maximum: ${data.length} bytes > ${limits.pictureBytes} bytes`;
  }
  return undefined;
}

/** The media type and the data of a data URL. */
export function fromDataUrl(url: string): SentPicture {
  const [, mediaType = '', data = ''] = /^data:([^;]+);base64,(.*)$/s.exec(url) ?? [];
  return { mediaType, data };
}
