import { type JsonObject, ownObjects } from '../../lib/json-object.ts';
import { costOf, readLiteLlm } from '../gateways/litellm.ts';
import { asList, asObject } from '../gateways/places.ts';
import { faultOf, type ImportSource, other } from './source.ts';

/**
 * Rows of `LiteLLM_SpendLogs`, from answers of `/spend/logs`, pages of `/spend/logs/ui` and `/spend/logs/v2`, and
 * exports of the table. https://docs.litellm.ai/docs/proxy/cost_tracking
 */
export const liteLlm: ImportSource = {
  title: 'LiteLLM',
  hint: 'export the answer of /spend/logs, or the table LiteLLM_SpendLogs',
  unpack: (value) => (Array.isArray(value.data) ? ownObjects(value, 'data') : [value]),
  read: (record) => {
    const row = withObjects(record);
    const outcome = readLiteLlm(row);
    if (outcome === undefined) return faultOf('has no request_id');
    if (outcome.startMs === undefined && outcome.endMs === undefined) return faultOf('has no startTime');
    if (outcome.isCall === false) return other;
    return { kind: 'calls', outcomes: [outcome], cost: costOf(row) };
  },
};

/** Parses objects, which the database stores as text. */
function withObjects(row: JsonObject): JsonObject {
  const [metadata, tags] = [asObject(row.metadata), asList(row.request_tags)];
  return { ...row, ...(metadata && { metadata }), ...(tags && { request_tags: tags }) };
}
