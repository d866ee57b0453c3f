import { isJsonObject, type JsonObject, ownObject, ownObjects, ownValue } from '../lib/json-object.ts';
import type { UnitName } from '../lib/units.ts';

/**
 * Media, jobs, seconds and characters in answers that have no usage object for them (D27.5). Every row is a place in an
 * answer and the unit that it counts; each provider's newest SDK or reference has the names.
 */

type AddUnit = (unit: UnitName, count: number) => void;

/** Where answers have the images and videos that they made: a list of them, or one. */
const madeMedia: readonly (readonly [path: string, unit: 'images' | 'videos'])[] = [
  // Imagen and Veo: @google/genai 3.3.0, and Vertex over REST.
  ['generatedImages', 'images'],
  ['generated_images', 'images'],
  ['generatedVideos', 'videos'],
  ['generated_videos', 'videos'],
  ['generateVideoResponse.generatedSamples', 'videos'],
  ['generate_video_response.generated_samples', 'videos'],
  ['predictions', 'images'],
  // The AI SDK 7, xAI, fal and others.
  ['images', 'images'],
  ['image', 'images'],
  ['videos', 'videos'],
  ['video', 'videos'],
  // Luma.
  ['assets.video', 'videos'],
  ['assets.image', 'images'],
  // Stability.
  ['artifacts', 'images'],
  // OpenAI, and those that copy it.
  ['data', 'images'],
];

/** Where answers have seconds: as a number, or as Google's text `3.5s`. */
const seconds: readonly (readonly [path: string, unit: UnitName])[] = [
  // Deepgram: @deepgram/sdk 5.13.0.
  ['metadata.duration', 'audio_seconds'],
  // The AI SDK 7.
  ['durationInSeconds', 'audio_seconds'],
  // AssemblyAI.
  ['audio_duration', 'audio_seconds'],
  // ElevenLabs: @elevenlabs/elevenlabs-js 2.73.0.
  ['audioDurationSecs', 'audio_seconds'],
  ['audio_duration_secs', 'audio_seconds'],
  // Google's speech, versions 1 and 2.
  ['totalBilledTime', 'audio_seconds'],
  ['total_billed_time', 'audio_seconds'],
  ['metadata.totalBilledDuration', 'audio_seconds'],
  ['metadata.total_billed_duration', 'audio_seconds'],
  // Replicate 1.4.0.
  ['metrics.predict_time', 'compute_seconds'],
];

/** Where answers have the number of characters that were spoken. */
const characters: readonly string[] = [
  // ElevenLabs' header, and the characters of its alignment.
  'headers.character-cost',
  // Deepgram's header: https://docs.rs/deepgram/0.14.0/deepgram/speak/response/.
  'headers.dg-char-count',
  'characterCost',
  'character_cost',
  'alignment.characters',
];

const firstOf = (path: string): string => path.slice(0, path.includes('.') ? path.indexOf('.') : path.length);

/** The fields of an answer that can have such a charge; `images` and `videos` are names of units too. */
export const mediaFields: readonly string[] = [
  ...new Set([...madeMedia.map(([path]) => path), ...seconds.map(([path]) => path), ...characters].map(firstOf)),
].filter((name) => name !== 'images' && name !== 'videos');

/** Fields that only answers have. In an event itself the others can be the caller's own. */
const onlyInAnswers: ReadonlySet<string> = new Set(
  ['generatedImages', 'generated_images', 'generatedVideos', 'generated_videos', 'durationInSeconds'].concat(
    'predictions',
  ),
);

/** The answer of a finished operation of Veo is within it. */
export const isOperation = (value: unknown): boolean =>
  isJsonObject(value) &&
  ['generateVideoResponse', 'generatedVideos', 'generated_videos', 'videos'].some((name) => Object.hasOwn(value, name));

/** Counts what an answer has made, and the seconds and characters that it names. */
export function readAnswerMedia(answer: JsonObject, isResponse: boolean, add: AddUnit): void {
  const inner = ownValue(answer, 'response');
  if (isJsonObject(inner) && isOperation(inner)) readAnswerMedia(inner, true, add);
  const isRead = (path: string) =>
    path === 'data' ? isOfOpenAi(answer, isResponse) : isResponse || onlyInAnswers.has(path);
  for (const [unit, count] of countMade(answer, isRead)) add(unit, count);
  const named = new Set<UnitName>();
  const addOnce = (unit: UnitName, count: number | undefined) => {
    if (count === undefined || named.has(unit)) return;
    named.add(unit);
    add(unit, count);
  };
  for (const [path, unit] of seconds) {
    const isSkipped = !isRead(path) || (unit === 'compute_seconds' && isChargedByOutput(answer));
    const count = isSkipped ? undefined : asSeconds(valueAt(answer, path));
    addOnce(unit, path === 'metadata.duration' && count !== undefined ? count * countChannels(answer) : count);
  }
  for (const path of characters) if (isRead(path)) addOnce('characters', countCharacters(valueAt(answer, path)));
}

/** Whether a list `data` is of OpenAI's images, or of those of an API that copies it. Other answers have such lists too. */
const isOfOpenAi = (answer: JsonObject, isResponse: boolean): boolean =>
  typeof ownValue(answer, 'created') === 'number' ||
  // Ideogram writes the time as a text.
  (isResponse && typeof ownValue(answer, 'created') === 'string') ||
  (isResponse && typeof ownValue(answer, 'model') === 'string') ||
  // xAI names neither time nor model.
  (isResponse && ownObjects(answer, 'data').some((item) => Object.hasOwn(item, 'revised_prompt')));

/** The images and videos of an answer. Several fields can hold the same ones, so the largest number counts. */
function countMade(answer: JsonObject, isRead: (path: string) => boolean): Map<UnitName, number> {
  const made = new Map<UnitName, number>();
  const note = (unit: UnitName, count: number) => {
    if (count > (made.get(unit) ?? 0)) made.set(unit, count);
  };
  for (const [path, unit] of madeMedia) {
    const value = isRead(path) ? valueAt(answer, path) : undefined;
    if (value === undefined) continue;
    const items = (Array.isArray(value) ? value : [value]).filter(isMedium);
    const videos = items.filter((item) => unit === 'videos' || isVideo(item));
    note('images', items.length - videos.length);
    const known = videos.map((item) => (isJsonObject(item) ? asSeconds(ownValue(item, 'duration')) : undefined));
    note(
      'video_seconds',
      known.reduce<number>((sum, count) => sum + (count ?? 0), 0),
    );
    note('videos', known.filter((count) => count === undefined).length);
  }
  // Videos of a known length are charged by it.
  if (made.has('video_seconds')) made.delete('videos');
  for (const [unit, count] of made) if (count === 0) made.delete(unit);
  return made;
}

/** The fields that hold a medium, or the place where it is stored. */
const mediumFields = [
  ...['url', 'uri', 'gcsUri', 'gcs_uri', 'imageBytes', 'videoBytes', 'image', 'video', 'uint8Array', 'base64Data'],
  'uint8ArrayData',
];
/** Fields of a medium that clients empty before they pass an answer on. */
const emptiedFields = ['b64_json', 'base64', 'bytesBase64Encoded'];

const isMedium = (item: unknown): boolean =>
  isJsonObject(item)
    ? mediumFields.some((name) => (ownValue(item, name) ?? '') !== '') ||
      emptiedFields.some((name) => typeof ownValue(item, name) === 'string')
    : typeof item === 'string' && /^(?:https?:|data:)/.test(item);

const isVideo = (item: unknown): boolean =>
  isJsonObject(item) &&
  ['mimeType', 'mime_type', 'mediaType'].some((name) => /^video\//.test(String(ownValue(item, name) ?? '')));

/** Whether a job of Replicate counts what it made, and so is charged by it. */
function isChargedByOutput(answer: JsonObject): boolean {
  const metrics = ownObject(answer, 'metrics');
  return metrics !== undefined && Object.keys(metrics).some((name) => /(?:_count|_duration_seconds)$/.test(name));
}

/** Deepgram charges each channel that it transcribed apart: https://github.com/orgs/deepgram/discussions/932 */
function countChannels(answer: JsonObject): number {
  const channels = valueAt(answer, 'metadata.channels');
  return typeof channels === 'number' && Number.isInteger(channels) && channels > 1 ? channels : 1;
}

function asSeconds(value: unknown): number | undefined {
  const text = typeof value === 'string' ? /^(\d{1,9}(?:\.\d{1,9})?)s$/.exec(value)?.[1] : undefined;
  const count = text === undefined ? value : Number(text);
  return typeof count === 'number' && count > 0 ? count : undefined;
}

function countCharacters(value: unknown): number | undefined {
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.length;
  const count = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value;
  return typeof count === 'number' && count > 0 ? count : undefined;
}

function valueAt(answer: JsonObject, path: string): unknown {
  let value: unknown = answer;
  // A header's name has no dot.
  for (const name of path.split('.')) {
    if (!isJsonObject(value)) return undefined;
    value = ownValue(value, name);
  }
  return value ?? undefined;
}
