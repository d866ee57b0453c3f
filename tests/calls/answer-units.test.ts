// Units that are counted in an answer, as its provider sends no count of them.
import { describe, expect, it } from 'vitest';
import { hasAnnotations, readAnswerUnits } from '../../src/usage/answer-units.ts';
import { readUsage } from '../../src/usage/usage.ts';

/** The units of an answer, each with all counts that were added for it. */
function unitsOf(answer: Record<string, unknown>): Record<string, number[]> {
  const units: Record<string, number[]> = {};
  readAnswerUnits(answer, (unit, count) => {
    units[unit] = [...(units[unit] ?? []), count];
  });
  return units;
}

describe("tools of OpenAI's responses (D26.1)", () => {
  const call = (type: string, more: object = {}) => ({ type, ...more });

  it('are web searches, but not pages that are opened or searched in', () => {
    const search = call('web_search_call', { action: { type: 'search' } });
    const free = ['open_page', 'find_in_page'].map((type) => call('web_search_call', { action: { type } }));
    expect(unitsOf({ output: [search, ...free, search] })).toEqual({ web_searches: [1, 1] });
    // Older answers do not say what was done.
    expect(unitsOf({ output: [call('web_search_call')] })).toEqual({ web_searches: [1] });
    expect(unitsOf({ output: free })).toEqual({});
  });

  it('are file searches, and containers of code, each once', () => {
    const code = (container_id?: string) => call('code_interpreter_call', { ...(container_id && { container_id }) });
    expect(unitsOf({ output: [call('file_search_call'), call('file_search_call')] })).toEqual({
      file_searches: [1, 1],
    });
    expect(unitsOf({ output: [code('a'), code('b'), code('a')] })).toEqual({ code_sessions: [2] });
    // Without a name each counts.
    expect(unitsOf({ output: [code(), code()] })).toEqual({ code_sessions: [2] });
  });

  it('are nothing else', () => {
    expect(unitsOf({ output: [call('message'), call('reasoning'), 'text', null] })).toEqual({});
    expect(unitsOf({ output: 'web_search_call' })).toEqual({});
  });
});

describe('searches of chat completions (D26.1)', () => {
  const choices = [{ message: { content: 'Hello' } }];
  const citing = (type: string) => ({ message: { content: 'See', annotations: [{ type: 'other' }, { type }] } });

  it('are one for each request to a model that searches, wherever its tokens are reported', () => {
    const of = (event: object) => readUsage({ prompt_tokens: 9, ...event }).units;
    const one = { web_searches: 1_000_000_000_000n };
    for (const model of ['gpt-4o-search-preview', 'gpt-4o-mini-search-preview-2025-03-11', 'gpt-5-search-api']) {
      expect(of({ model }), model).toEqual(one);
      expect(of({ response: { model, choices: [citing('url_citation')] } }), model).toEqual(one);
    }
    for (const model of ['gpt-4o', 'search-preview', 'a-search-previews', 7, undefined]) {
      expect(of({ model, response: { choices } }), String(model)).toEqual({});
    }
    expect(readUsage({ model: 'gpt-4o-search-preview' }).units).toEqual({});
    // A sum of requests has its searches apart.
    expect(of({ model: 'gpt-4o-search-preview', num_requests: 5 })).toEqual({});
  });

  it('are one for an answer that cites pages, in any of its choices', () => {
    expect(unitsOf({ choices: [...choices, citing('url_citation')] })).toEqual({ web_searches: [1] });
    expect(unitsOf({ choices: [citing('url_citation'), citing('url_citation')] })).toEqual({ web_searches: [1] });
    expect(unitsOf({ choices: [citing('file_citation')] })).toEqual({});
    expect(unitsOf({ choices: [{ text: 'of an older model' }] })).toEqual({});
  });
});

describe("Gemini's grounding (D26.1)", () => {
  const candidate = (grounding: object) => ({ groundingMetadata: grounding });

  it('is one prompt, and each of its queries, by either spelling', () => {
    expect(unitsOf({ candidates: [candidate({ webSearchQueries: ['a', 'b'] })] })).toEqual({
      grounded_prompts: [1],
      grounded_queries: [2],
    });
    const candidates = [
      candidate({ webSearchQueries: ['a'], imageSearchQueries: ['b', 'c'] }),
      { grounding_metadata: { web_search_queries: ['d'], image_search_queries: ['e'] } },
    ];
    expect(unitsOf({ candidates })).toEqual({ grounded_prompts: [1], grounded_queries: [5] });
  });

  it('is none without queries', () => {
    expect(unitsOf({ candidates: [candidate({}), {}, candidate({ webSearchQueries: ['', 7] })] })).toEqual({});
    expect(unitsOf({ candidates: [candidate({ webSearchQueries: 'a' })] })).toEqual({});
  });

  it('on maps is a prompt on maps', () => {
    const chunks = [{ web: {} }, { maps: { uri: 'https://maps.example' } }];
    expect(unitsOf({ candidates: [candidate({ groundingChunks: chunks })] })).toEqual({ maps_prompts: [1] });
    expect(unitsOf({ candidates: [{ grounding_metadata: { grounding_chunks: chunks } }] })).toEqual({
      maps_prompts: [1],
    });
    const later = [candidate({ groundingChunks: chunks }), candidate({ groundingChunks: [{ web: {} }] })];
    expect(unitsOf({ candidates: later })).toEqual({ maps_prompts: [1] });
    expect(unitsOf({ candidates: [candidate({ groundingChunks: [{ web: {} }] })] })).toEqual({});
  });
});

describe('images (D26.1)', () => {
  it("are those of OpenAI's answers", () => {
    const data = [{ url: 'https://example.com/1.png' }, { b64_json: 'aGk=' }, { url: '' }, {}, 'text'];
    expect(unitsOf({ created: 1_730_000_000, data })).toEqual({ images: [2] });
    // Other answers have lists of this name, too.
    expect(unitsOf({ data })).toEqual({});
    expect(unitsOf({ created: 1_730_000_000, data: [] })).toEqual({});
  });

  it("are those of Imagen's answers, by either spelling", () => {
    const made = [{ image: { imageBytes: 'aGk=' } }, { raiFilteredReason: 'no' }];
    expect(unitsOf({ generatedImages: made })).toEqual({ images: [1] });
    expect(unitsOf({ generated_images: [...made, ...made] })).toEqual({ images: [2] });
    expect(unitsOf({ generatedImages: [{ raiFilteredReason: 'no' }] })).toEqual({});
  });
});

describe('durations (D26.1)', () => {
  it("are the seconds of OpenAI's videos, as text or number", () => {
    for (const [seconds, counted] of [
      ['8', 8],
      ['12.5', 12.5],
      ['0.25', 0.25],
      [4, 4],
    ] as const) {
      expect(unitsOf({ object: 'video', seconds }), String(seconds)).toEqual({ video_seconds: [counted] });
    }
    for (const seconds of ['0', 0, -1, '', '8s', 'x8', '1.', '1.x', '1234567', '1.1234567', null, undefined, [8]]) {
      expect(unitsOf({ object: 'video', seconds }), String(seconds)).toEqual({});
    }
    expect(unitsOf({ object: 'chat.completion', seconds: '8' })).toEqual({});
  });

  it('are those of verbose transcriptions', () => {
    for (const task of ['transcribe', 'translate', 'Transcribe']) {
      expect(unitsOf({ task, duration: 8.47 }), task).toEqual({ audio_seconds: [8.47] });
    }
    for (const task of ['transcribed', 'pretranslate', 'embed', undefined, ['transcribe']]) {
      expect(unitsOf({ task, duration: 8.47 }), String(task)).toEqual({});
    }
    expect(unitsOf({ task: 'transcribe' })).toEqual({});
  });
});

describe("annotations of Mistral's pages (D26.1)", () => {
  it('are of the document, or of any image on any page', () => {
    const page = (...annotations: unknown[]) => ({
      images: annotations.map((image_annotation) => ({ image_annotation })),
    });
    expect(hasAnnotations({ document_annotation: '{}' })).toBe(true);
    expect(hasAnnotations({ pages: [page(), page(null, '{"a": 1}')] })).toBe(true);
    expect(hasAnnotations({ pages: [page(null, '')], document_annotation: '' })).toBe(false);
    expect(hasAnnotations({ pages: [{ markdown: 'text' }], document_annotation: null })).toBe(false);
    expect(hasAnnotations({})).toBe(false);
  });
});
