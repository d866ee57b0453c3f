import { expect, test } from 'vitest';
import { attributeFields, dimensionTags, resolveDimensions, resolveRun } from '../../src/calls/attribution.ts';

/** What may name a dimension or the run, the first that does winning (D4.4). */
const sources = {
  customer: {
    tags: ['customer', 'customer_id'],
    fields: ['customer', 'customer_id', 'customer_name'],
  },
  user: { tags: ['user', 'user_id'], fields: ['user', 'user_id'] },
  feature: { tags: ['feature'], fields: ['feature'] },
  model: { tags: [], fields: ['model', 'response.model'] },
  provider: { tags: [], fields: ['provider'] },
  run: { tags: ['run_id', 'run'], fields: ['run_id', 'trace_id', 'session_id'] },
};

const call = { eventId: 'e-1', ordinal: 0 };
const resolve = (tags: Record<string, string>, fields: Record<string, string>) => ({
  ...resolveDimensions({ tags, fields }),
  run: resolveRun({ tags, fields }, call),
});
const unnamed = resolve({}, {});

const valued = (names: readonly string[], kind: string): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, `${kind} ${name}`]));

for (const [dimension, { tags, fields }] of Object.entries(sources) as [
  keyof typeof sources,
  { tags: string[]; fields: string[] },
][]) {
  const names = [...tags.map((name) => `tag ${name}`), ...fields.map((name) => `field ${name}`)];

  test.each(names.map((name, at) => [name, at] as const))(
    `D4.4: the ${dimension} is the %s where nothing before it says`,
    (name, at) => {
      const left = { tags: tags.slice(at), fields: fields.slice(Math.max(at - tags.length, 0)) };
      expect(resolve(valued(left.tags, 'tag'), valued(left.fields, 'field'))).toMatchObject({ [dimension]: name });
      // An empty value says nothing.
      const empty = {
        tags: Object.fromEntries(tags.slice(0, at).map((one) => [one, ''])),
        fields: Object.fromEntries(fields.slice(0, Math.max(at - tags.length, 0)).map((one) => [one, ''])),
      };
      expect(
        resolve({ ...valued(left.tags, 'tag'), ...empty.tags }, { ...valued(left.fields, 'field'), ...empty.fields }),
      ).toMatchObject({ [dimension]: name });
    },
  );

  test(`D4.4: what names the ${dimension} names nothing else`, () => {
    expect(resolve(valued(tags, 'tag'), valued(fields, 'field'))).toEqual({ ...unnamed, [dimension]: names[0] });
  });
}

test('D4.4: a dimension that nothing names is empty, and the call is its own run', () => {
  expect(unnamed).toEqual({ customer: '', user: '', feature: '', model: '', provider: '', run: 'e-1' });
});

test('D4.2: several calls of one id are runs of their own', () => {
  const runs = [0, 1, 2].map((ordinal) => resolveRun({ tags: {}, fields: {} }, { eventId: 'e-1', ordinal }));
  expect(runs).toEqual(['e-1', 'e-1#1', 'e-1#2']);
  expect(resolveRun({ tags: { run: 'r' }, fields: {} }, { eventId: 'e-1', ordinal: 1 })).toBe('r');
});

test('D3.4, D4.4: every tag and field that may name something is kept, and empty ones of these tags count as absent', () => {
  const all = Object.values(sources);
  expect([...dimensionTags].sort()).toEqual(all.flatMap(({ tags }) => tags).sort());
  // Models and providers are kept apart from the others.
  const apart = [...sources.model.fields, ...sources.provider.fields];
  expect([...attributeFields].sort()).toEqual(
    all.flatMap(({ fields }) => fields.filter((name) => !apart.includes(name))).sort(),
  );
});
