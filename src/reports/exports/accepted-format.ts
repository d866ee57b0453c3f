import { acceptedTypes } from '../../lib/http/accepted-types.ts';
import { type FormatName, formatNames, formats } from './formats.ts';

/**
 * The format that `Accept` names and prefers to JSON. Ranges such as `text/*` name no format, so a client that accepts
 * everything gets JSON.
 */
export function acceptedFormat(accept: string | undefined): FormatName | undefined {
  for (const type of acceptedTypes(accept)) {
    if (type === 'application/json') return undefined;
    const name = formatNames.find((candidate) => formats[candidate].mediaType === type);
    if (name) return name;
  }
  return undefined;
}
