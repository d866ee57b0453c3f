import { isObject, type Json, objectAt, objectsAt, textAt } from './json.ts';

/** Where answers hold their usage, as the intake reads it. `usage` beside `totalUsage` is that of the last step. */
const usageNames = ['totalUsage', 'usage', 'usageMetadata', 'usage_metadata', 'usageInfo', 'usage_info', 'meta'];
/** Where events of streams hold the answer, or the part of it that has the usage. */
const innerNames = ['response', 'message', 'data', 'metadata', 'delta', 'interaction'];
/** Events at which an answer has ended. */
const lastEvents = new Set([
  'message_stop',
  'response.completed',
  'response.incomplete',
  'response.failed',
  'finish',
  'interaction.completed',
  'conversation.response.done',
  'transcript.text.done',
  'transcription.done',
  'speech.audio.done',
  'image_generation.completed',
  'image_edit.completed',
]);

/** Models of OpenAI that search the web for every request. */
const searchModel = /-search-(?:preview|api)\b/;

/**
 * What answers report of their usage: the provider's usage object as it is, the model and the terms, and counts of what is charged
 * beside tokens. Nothing of the prompt or the answer is kept.
 */
export class AnswerUsage {
  model: string | undefined;
  /** The characters that were spoken. */
  characters: number | undefined;
  /** Whether the answer has ended. */
  isDone = false;
  /** A failure that the answer itself reports. */
  failure: Json | undefined;
  status: string | undefined;
  id: string | undefined;
  /** The provider's usage object. */
  usage: Json | undefined;
  #usageName = 'usage';
  #tier: unknown;
  /** What is charged by other models than the answer's, and what that depends on. */
  #tools: Json = {};
  #units: Json = {};

  /** The pieces of text that a stream has brought: each is a token or more. */
  #pieces = 0;

  /** Whether there is anything to charge by, be it nothing. */
  get tells(): boolean {
    return (this.characters ?? Object.keys({ ...this.usage, ...this.#units, ...this.#tools })[0]) !== undefined;
  }

  /** Takes a whole answer, or the next event of a stream. */
  take(answer: unknown): void {
    if (!isObject(answer)) return;
    const type = textAt(answer, 'type') ?? textAt(answer, 'event_type');
    if (type?.endsWith('.delta') && textAt(answer, 'delta')) this.#pieces += 1;
    this.#takeLevel(answer, type);
    for (const name of innerNames) {
      // Answers of Google's client have getters of such names, which print warnings.
      const inner = Object.hasOwn(answer, name) ? answer[name] : undefined;
      if (isObject(inner)) this.#takeLevel(inner, type);
    }
    // Results of the AI SDK have the provider's answer here.
    this.#takeLevel(objectAt(objectAt(answer, 'response'), 'body'), type);
  }

  /** The fields of the event. Where usage comes last in a stream, one that breaks off has used the pieces that have come. */
  toFields(aborted = false): Json {
    const tier = isObject(this.#tier) ? this.#tier.type : this.#tier;
    return {
      ...this.#units,
      characters: this.characters,
      output_tokens: (aborted && !this.usage && this.#pieces) || undefined,
      // Images that a model counts in tokens are not charged by their number.
      ...(/tokens/i.test(Object.keys(this.usage ?? {}).join()) && { images: undefined }),
      response: {
        id: this.id,
        service_tier: typeof tier === 'string' ? tier : undefined,
        [this.#usageName]: this.usage,
        ...this.#tools,
      },
    };
  }

  #takeLevel(level: Json, type: string | undefined): void {
    if (lastEvents.has(type ?? textAt(level, 'type') ?? '')) this.isDone = true;
    this.model = textAt(level, 'model') ?? textAt(level, 'modelVersion') ?? this.model;
    this.id = textAt(level, 'id') ?? textAt(level, 'responseId') ?? this.id;
    this.status = textAt(level, 'status') ?? this.status;
    this.#tier = level.service_tier ?? level.serviceTier ?? this.#tier;
    for (const name of usageNames) {
      const usage = level[name];
      if (!isObject(usage) || (name === 'meta' && !('billed_units' in usage || 'billedUnits' in usage))) continue;
      // Anthropic's later events have some of the counts, so far; those of others have all.
      const isPart = type === 'message_delta';
      const told = Object.entries(usage).filter(([, value]) => value !== null && value !== undefined);
      this.usage = isPart ? { ...this.usage, ...Object.fromEntries(told) } : usage;
      this.#usageName = name;
      break;
    }
    if (this.status === 'failed' && isObject(level.error)) this.failure = level.error;
    this.#takeChoices(level);
    this.#takeTools(level);
    this.#takeMedia(level);
    this.#takeCandidates(level);
    this.#takeEmbeddings(level);
  }

  /** Chat completions: whether the answer has ended, and whether it cites pages. */
  #takeChoices(level: Json): void {
    const choices = objectsAt(level, 'choices');
    if (choices.some((choice) => choice.finish_reason || choice.finishReason)) this.isDone = true;
    if (choices.some(({ delta, text }) => hasText(delta) || text)) this.#pieces += 1;
    const cites = choices.some((choice) =>
      [...objectsAt(choice.message, 'annotations'), ...objectsAt(choice.delta, 'annotations')].some(
        ({ type }) => type === 'url_citation',
      ),
    );
    if (choices.length > 0 && (cites || searchModel.test(this.model ?? ''))) this.#units.web_searches = 1;
  }

  /** Calls of OpenAI's tools that are charged, without what was searched, run or made. */
  #takeTools(level: Json): void {
    const calls = objectsAt(level, 'output').filter(({ type }) =>
      /^(?:web_search|file_search|code_interpreter|image_generation)_call$/.test(String(type)),
    );
    const output = calls.map(({ type, container_id, action, model, result, svg_usage }) => ({
      type,
      container_id,
      action: isObject(action) ? { type: action.type } : undefined,
      model,
      result: result ? '-' : undefined,
      svg_usage,
    }));
    const tools = objectsAt(level, 'tools').filter(({ type }) => type === 'image_generation');
    const found = {
      output: output.length > 0 && output,
      tools: tools.length > 0 && tools.map(({ type, model }) => ({ type, model })),
      tool_usage: isObject(level.tool_usage) && level.tool_usage,
      svg_usage: isObject(level.svg_usage) && level.svg_usage,
    };
    for (const [name, value] of Object.entries(found)) if (value) this.#tools[name] = value;
  }

  /** Images that were made, pages that were annotated, and the seconds of a transcription without usage. */
  #takeMedia(level: Json): void {
    const made = [...objectsAt(level, 'data'), ...objectsAt(level, 'generatedImages').map(({ image }) => image)];
    const images = made.filter((one) => isObject(one) && (one.b64_json || one.url || one.imageBytes || one.gcsUri));
    if (images.length > 0) this.#units.images = images.length;
    const pages = objectsAt(level, 'pages');
    const isAnnotated =
      level.documentAnnotation ||
      level.document_annotation ||
      pages.some((page) => objectsAt(page, 'images').some((one) => one.imageAnnotation || one.image_annotation));
    if (isAnnotated) {
      this.#units.annotated_pages =
        objectAt(level, 'usageInfo').pagesProcessed ?? objectAt(level, 'usage_info').pages_processed;
    }
    if (typeof level.duration === 'number' && level.task && !this.usage) this.#units.audio_seconds = level.duration;
    // Mistral's conversations name the model beside each thing that it says.
    this.model =
      objectsAt(level, 'outputs')
        .map((one) => textAt(one, 'model'))
        .findLast(Boolean) ?? this.model;
  }

  /** Gemini's grounding. */
  #takeCandidates(level: Json): void {
    let [queries, maps] = [0, 0];
    for (const candidate of objectsAt(level, 'candidates')) {
      if (candidate.finishReason) this.isDone = true;
      const grounding = objectAt(candidate, 'groundingMetadata');
      for (const name of ['webSearchQueries', 'imageSearchQueries']) {
        const texts = grounding[name];
        if (Array.isArray(texts)) queries += texts.filter(Boolean).length;
      }
      if (objectsAt(grounding, 'groundingChunks').some(({ maps: found }) => isObject(found))) maps = 1;
    }
    if (queries) Object.assign(this.#units, { grounded_prompts: 1, grounded_queries: queries });
    if (maps) this.#units.maps_prompts = 1;
  }

  /** Vertex counts the tokens of each embedding. */
  #takeEmbeddings(level: Json): void {
    let total = 0;
    for (const one of objectsAt(level, 'embeddings')) total += Number(objectAt(one, 'statistics').tokenCount ?? 0);
    if (total) this.#units.prompt_tokens = total;
  }
}

/** Whether a piece of an answer has text, reasoning or a part of the arguments of a tool. */
const hasText = (delta: unknown): boolean =>
  isObject(delta) &&
  Object.entries(delta).some(
    ([name, value]) => name !== 'role' && value && (value as { length?: number }).length !== 0,
  );
