import { type JsonObject, ownObject, ownObjects, ownValue } from '../lib/json-object.ts';
import type { UnitName } from '../lib/units.ts';
import { readAnswerMedia } from './answer-media.ts';

/** Units that no count is sent for (D26.1): tool calls, grounding, media and durations in the answer. */
export function readAnswerUnits(
  answer: JsonObject,
  add: AddUnit,
  media: 'none' | 'event' | 'response' = 'response',
): void {
  countOpenAiTools(answer, add);
  if (!countGroqTools(answer, add)) countSearchesInChat(answer, add);
  countGrounding(answer, add);
  if (media !== 'none') readAnswerMedia(answer, media === 'response', add);
  readDurations(answer, add);
}

type AddUnit = (unit: UnitName, count: number) => void;

/**
 * Tools of OpenAI's responses. A web search costs money; opening a page and searching in it are free. Code runs in
 * containers, and each container is charged once.
 * https://platform.openai.com/docs/guides/tools-web-search
 */
function countOpenAiTools(answer: JsonObject, add: AddUnit): void {
  const containers = new Set<unknown>();
  for (const item of ownObjects(answer, 'output')) {
    switch (ownValue(item, 'type')) {
      case 'web_search_call': {
        const action = ownObject(item, 'action');
        if (action === undefined || ownValue(action, 'type') === 'search') add('web_searches', 1);
        break;
      }
      case 'file_search_call':
        add('file_searches', 1);
        break;
      case 'code_interpreter_call':
        containers.add(ownValue(item, 'container_id') ?? item);
        break;
    }
  }
  if (containers.size > 0) add('code_sessions', containers.size);
}

/** Tools of Groq's compound models by their type, and of GPT-OSS by the name of a function. */
const groqTools: Readonly<Record<string, UnitName>> = {
  ...{
    search: 'web_searches',
    web_search: 'web_searches',
    'browser.search': 'web_searches',
    browser_search: 'web_searches',
  },
  ...{ visit: 'web_fetches', visit_website: 'web_fetches', 'browser.open': 'web_fetches' },
  ...{ python: 'code_sessions', code_interpreter: 'code_sessions', browser_automation: 'code_sessions' },
};

/** Counts the tools that Groq ran; whether it ran any. https://console.groq.com/docs/compound/built-in-tools */
function countGroqTools(answer: JsonObject, add: AddUnit): boolean {
  let hasRun = false;
  for (const choice of ownObjects(answer, 'choices')) {
    for (const tool of ownObjects(ownObject(choice, 'message') ?? {}, 'executed_tools')) {
      const type = ownValue(tool, 'type');
      const unit = groqTools[String(type === 'function' ? ownValue(tool, 'name') : type)];
      if (unit !== undefined) add(unit, 1);
      hasRun = true;
    }
  }
  return hasRun;
}

/** OpenAI's models that search for every request. */
const searchModel = /-search-(?:preview|api)\b/;

/** Whether one of these is such a model. https://platform.openai.com/docs/pricing#built-in-tools */
export const searchesAlways = (models: readonly unknown[]): boolean =>
  models.some((model) => typeof model === 'string' && searchModel.test(model));

/**
 * Searches in chat completions: one for an answer of OpenAI that cites pages or of Z.ai that lists them, and those that
 * Moonshot asks to confirm. https://docs.z.ai/guides/tools/web-search, https://platform.kimi.ai/docs/pricing/tools
 */
function countSearchesInChat(answer: JsonObject, add: AddUnit): void {
  const choices = ownObjects(answer, 'choices');
  const asked = choices
    .flatMap((choice) => ownObjects(ownObject(choice, 'message') ?? {}, 'tool_calls'))
    .filter((call) => ownValue(ownObject(call, 'function') ?? {}, 'name') === '$web_search').length;
  const hasPages = choices.some(citesPages) || (choices.length > 0 && ownObjects(answer, 'web_search').length > 0);
  if (asked > 0 || hasPages) add('web_searches', Math.max(asked, 1));
}

function citesPages(choice: JsonObject): boolean {
  const message = ownObject(choice, 'message');
  return (
    message !== undefined &&
    ownObjects(message, 'annotations').some((note) => ownValue(note, 'type') === 'url_citation')
  );
}

/**
 * Gemini's grounding. Gemini 2.5 and older charge a grounded prompt, Gemini 3 and newer each of its queries. Both are
 * counted: each model has a price for one of them, and 0 for the other. https://ai.google.dev/gemini-api/docs/pricing
 */
function countGrounding(answer: JsonObject, add: AddUnit): void {
  let queries = 0;
  let hasMaps = false;
  for (const candidate of ownObjects(answer, 'candidates')) {
    const grounding = ownObject(candidate, 'groundingMetadata') ?? ownObject(candidate, 'grounding_metadata');
    if (grounding === undefined) continue;
    for (const name of ['webSearchQueries', 'web_search_queries', 'imageSearchQueries', 'image_search_queries']) {
      queries += countTexts(ownValue(grounding, name));
    }
    const chunks = [...ownObjects(grounding, 'groundingChunks'), ...ownObjects(grounding, 'grounding_chunks')];
    hasMaps ||= chunks.some((chunk) => ownObject(chunk, 'maps') !== undefined);
  }
  if (queries > 0) {
    add('grounded_prompts', 1);
    add('grounded_queries', queries);
  }
  if (hasMaps) add('maps_prompts', 1);
}

const countTexts = (list: unknown): number =>
  Array.isArray(list) ? list.filter((text) => typeof text === 'string' && text !== '').length : 0;

/**
 * Whether Mistral annotated the document or the images on its pages, which costs more.
 * https://docs.mistral.ai/capabilities/document_ai/annotations/
 */
export const hasAnnotations = (answer: JsonObject): boolean =>
  isText(ownValue(answer, 'document_annotation')) ||
  ownObjects(answer, 'pages').some((page) =>
    ownObjects(page, 'images').some((image) => isText(ownValue(image, 'image_annotation'))),
  );

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';

/**
 * The seconds of OpenAI's videos (`{ object: 'video', seconds: '8' }`), and of verbose transcriptions. Older models and
 * Groq send these without usage (`{ task: 'transcribe', duration: 8.47 }`).
 */
function readDurations(answer: JsonObject, add: AddUnit): void {
  // A video that failed is not charged.
  const isVideo = ownValue(answer, 'object') === 'video' && ownValue(answer, 'status') !== 'failed';
  if (isVideo) addSeconds('video_seconds', ownValue(answer, 'seconds'), add);
  const task = ownValue(answer, 'task');
  if (typeof task === 'string' && /^(?:transcribe|translate)$/i.test(task)) {
    addSeconds('audio_seconds', ownValue(answer, 'duration'), add);
  }
}

/** Whether a transcription's length contradicts the seconds of its usage, which are rounded to whole ones. */
export const isOtherLength = (seconds: unknown, length: unknown): boolean =>
  typeof seconds === 'number' && typeof length === 'number' && Math.abs(length - seconds) >= 1;

function addSeconds(unit: UnitName, value: unknown, add: AddUnit): void {
  const seconds = typeof value === 'string' && /^\d{1,6}(?:\.\d{1,6})?$/.test(value) ? Number(value) : value;
  if (typeof seconds === 'number' && seconds > 0) add(unit, seconds);
}
