// Every fault of a price override, with the error that the answer must name. A bad override is not stored.
import { afterAll, expect, test } from 'vitest';
import { expectStatus, type Json, sharedFarthing } from '../../support/client.ts';
import { expectFaults, type Fault, long, projectOfTable } from '../../support/faults.ts';
import { expectProblem } from '../../support/problem.ts';

const farthing = sharedFarthing();
const project = projectOfTable(farthing);

afterAll(async () => {
  const listed = expectStatus(await (await project()).api('GET', '/api/prices/'), 200);
  expect(JSON.stringify(listed)).not.toContain('"m1"');
});

const good = { model: 'm1', input_per_mtok: 1, output_per_mtok: 2 };
const bodies: [name: string, fields: Json, ...faults: Fault[]][] = [
  ['no model', { model: undefined }, ['/model', 'required']],
  ['an empty model', { model: '' }, ['/model', 'empty']],
  ['a model that is a number', { model: 4 }, ['/model', 'invalid_type']],
  ['a model that is too long', { model: long(1025) }, ['/model', 'too_long']],
  ['a provider that is a list', { provider: ['openai'] }, ['/provider', 'invalid_type']],
  ['a service_tier that is a number', { service_tier: 1 }, ['/service_tier', 'invalid_type']],
  ['no input_per_mtok', { input_per_mtok: undefined }, ['/input_per_mtok', 'required']],
  ['no output_per_mtok', { output_per_mtok: undefined }, ['/output_per_mtok', 'required']],
  ['a negative rate', { input_per_mtok: -1 }, ['/input_per_mtok', 'out_of_range']],
  [
    'a rate with seven fractional digits',
    { output_per_mtok: 0.0000001 },
    ['/output_per_mtok', 'invalid_value', 'out_of_range'],
  ],
  ['a rate that is text', { input_per_mtok: 'cheap' }, ['/input_per_mtok', 'invalid_type', 'invalid_value']],
  ['a rate that is true', { input_per_mtok: true }, ['/input_per_mtok', 'invalid_type']],
  ['a rate that is an object', { cache_read_per_mtok: { usd: 1 } }, ['/cache_read_per_mtok', 'invalid_type']],
  ['a negative cache rate', { cache_write_per_mtok: -0.000001 }, ['/cache_write_per_mtok', 'out_of_range']],
  ['a negative audio rate', { input_audio_per_mtok: -3 }, ['/input_audio_per_mtok', 'out_of_range']],
  ['an audio rate that is false', { output_audio_per_mtok: false }, ['/output_audio_per_mtok', 'invalid_type']],
  ['a negative reasoning rate', { reasoning_per_mtok: -1 }, ['/reasoning_per_mtok', 'out_of_range']],
  ['a negative price per request', { per_request: -0.01 }, ['/per_request', 'out_of_range']],
  ['units that are a list', { units: [0.01] }, ['/units', 'invalid_type']],
  ['an unknown unit', { units: { wishes: 1 } }, ['/units/wishes', 'unknown_field']],
  ['requests as a unit', { units: { requests: 1 } }, ['/units/requests', 'unknown_field']],
  ['a negative price of a unit', { units: { web_searches: -0.01 } }, ['/units/web_searches', 'out_of_range']],
  [
    'a price of a unit with thirteen fractional digits',
    { units: { characters: '0.0000000000001' } },
    ['/units/characters', 'invalid_value'],
  ],
  [
    'every fault of several units',
    { units: { web_searches: 'cheap', images: true } },
    ['/units/web_searches', 'invalid_value'],
    ['/units/images', 'invalid_type'],
  ],
  ['terms that are text', { terms: 'batch' }, ['/terms', 'invalid_type']],
  ['an unknown term', { terms: { colour: 'red' } }, ['/terms/colour', 'unknown_field']],
  ['an empty term', { terms: { geo: '' } }, ['/terms/geo', 'empty']],
  ['a term that is a number', { terms: { speed: 1 } }, ['/terms/speed', 'invalid_type']],
  ['a term that is too long', { terms: { geo: long(129) } }, ['/terms/geo', 'too_long']],
  [
    'two service tiers that differ',
    { service_tier: 'flex', terms: { service_tier: 'batch' } },
    ['/terms/service_tier', 'invalid_value'],
  ],
  ['a day that does not exist', { effective_from: '2024-02-30' }, ['/effective_from', 'invalid_value']],
  ['a day with a time', { effective_to: '2024-05-01T00:00:00Z' }, ['/effective_to', 'invalid_value']],
  ['a day that is a number', { effective_from: 20240501 }, ['/effective_from', 'invalid_type']],
  ['an unknown field', { currency: 'EUR' }, ['/currency', 'unknown_field']],
  ['an id', { id: 'mine' }, ['/id', 'unknown_field']],
];
test.each(bodies)('%s', async (_name, fields, ...faults) => {
  const { api } = await project();
  expectFaults(await api('POST', '/api/prices/', { ...good, ...fields }), faults);
});

test('days in the wrong order', async () => {
  const { api } = await project();
  const answer = await api('POST', '/api/prices/', {
    ...good,
    effective_from: '2024-06-01',
    effective_to: '2024-05-31',
  });
  const { errors = [] } = expectProblem(answer, 400, 'invalid_body');
  expect(['', '/effective_from', '/effective_to']).toContain(errors[0]?.pointer);
});
