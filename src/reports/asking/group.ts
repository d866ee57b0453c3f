import { z } from 'zod';
import { callTag } from '../../calls/call-tags.ts';
import { byName } from '../../lib/by-name.ts';
import { type CallDimension, callDimensions } from '../../lib/dimensions.ts';
import { askedField, askedWhere } from '../../lib/http/row-fields.ts';
import type { FaultCode } from '../../lib/problem.ts';
import type { Clause } from '../../storage/analytic/clause.ts';
import type { Facts } from '../facts/facts.ts';

/** A tag to group by: of each call, or of the customer that it is for (D28.1). */
export type TagGroup = `${'tag' | 'customer_tag'}:${string}`;

/** What rows of calls are grouped by. */
export type CallGroup = CallDimension | TagGroup;

const keyPattern = /^(?:customer_)?tag:(?<key>[\s\S]+)$/;

const keyOf = (group: string): string | undefined => keyPattern.exec(group)?.groups?.key;

export const isTagGroup = (group: unknown): group is TagGroup =>
  typeof group === 'string' && keyOf(group) !== undefined;

const isCallGroup = (group: string): group is CallGroup =>
  isTagGroup(group) || (callDimensions as readonly string[]).includes(group);

/** Whether only calls have the values: no cell has the tags of calls. */
export const isOfCalls = (group: CallGroup | undefined): boolean => group?.startsWith('tag:') ?? false;

/** The dimension that determines the values of a group; undefined for the tags of calls. */
export function dimensionOf(group: CallGroup | undefined): CallDimension | undefined {
  if (group === undefined || !isTagGroup(group)) return group;
  return isOfCalls(group) ? undefined : 'customer';
}

const names = [...callDimensions, 'tag:KEY', 'customer_tag:KEY'];

export const callGroupField = z
  .unknown()
  .transform((input, context): CallGroup => {
    if (typeof input === 'string' && isCallGroup(input)) return input;
    const code: FaultCode = typeof input === 'string' ? 'invalid_value' : 'invalid_type';
    context.issues.push({ code: 'custom', input, message: `must be one of ${names.join(', ')}`, params: { code } });
    return z.NEVER;
  })
  .meta({
    anyOf: [
      { type: 'string', enum: [...callDimensions] },
      { type: 'string', pattern: '^(?:customer_)?tag:[\\s\\S]' },
    ],
    description:
      'One row per value and period: of a dimension, of a tag of the calls (`tag:env`), or of a tag that customers carry now (`customer_tag:plan`).',
  });

/** The fields of rows that are grouped. */
export const callGroupFields = {
  ...byName(callDimensions, (name) => askedField(z.string(), 'group_by', name)),
  tag: askedWhere(z.string().describe('Empty for calls without the tag.'), { field: 'group_by', isAmong: isTagGroup }),
};

/** SQL for the value of a row, over calls or over cells that have the dimension of the group. */
export async function valueOfGroup(facts: Facts, group: CallGroup | undefined): Promise<Clause | undefined> {
  if (group === undefined || !isTagGroup(group)) return group && { sql: group, parameters: {} };
  const key = keyOf(group) ?? '';
  if (isOfCalls(group)) {
    const name = '{group_tag:String}';
    return { sql: `if(mapContains(tags, ${name}), ${callTag(key, name)}, '')`, parameters: { group_tag: key } };
  }
  return valueOfCustomers(await facts.readTagValues('customer', key));
}

/** SQL for a value of the customer of a row: that of the map, or `''`. */
export function valueOfCustomers(values: ReadonlyMap<string, string>): Clause {
  if (values.size === 0) return { sql: "''", parameters: {} };
  return {
    sql: "transform(customer, {grouped_customers:Array(String)}, {group_values:Array(String)}, '')",
    parameters: { grouped_customers: [...values.keys()], group_values: [...values.values()] },
  };
}
