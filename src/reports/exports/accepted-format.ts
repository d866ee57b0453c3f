import { type FormatName, formatNames, formats } from './formats.ts';

/**
 * The format that `Accept` names and prefers to JSON. Ranges such as `text/*` name no format, so a client that accepts
 * everything gets JSON.
 */
export function acceptedFormat(accept = ''): FormatName | undefined {
  const named = accept.split(',').flatMap(readRange).filter(isKnown);
  const [first] = named.sort((a, b) => b.quality - a.quality);
  return first && formatNames.find((name) => formats[name].mediaType === first.type);
}

interface Range {
  readonly type: string;
  readonly quality: number;
}

function readRange(text: string): Range[] {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const given = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  const quality = given === undefined ? 1 : Number(given);
  // A quality of 0 refuses the type.
  return quality > 0 ? [{ type, quality }] : [];
}

const known: ReadonlySet<string> = new Set(['application/json', ...formatNames.map((name) => formats[name].mediaType)]);
const isKnown = ({ type }: Range): boolean => known.has(type);
