import { isJsonObject, type JsonObject } from '../lib/json-object.ts';

/** Deeper parts of an answer are its content, in which only tokens are a charge: agents nest the answers of their models. */
const maxDepth = 3;
const maxTokenDepth = 8;
const maxCharges = 20;
const maxItems = 100;
/** The most objects that are searched. */
const maxObjects = 2_000;

/** Names of numbers that a provider charges by: what an answer took or made. */
const chargeName =
  /(?:token|character|second|minute|duration|credit|billed|billable|billing|cost|price|unit|step|megapixel|frame|pages?|images?|videos?)(?:s|_?count)?(?:_?(?:used|usd|secs?))?$/i;

/** Names of numbers that say how long something took or when it was, or what a request may use at most. */
const otherName =
  /latency|elapsed|processing|queue|timeout|expires|remaining|reset|limit|^max|_ms$|millis|created|started|completed|timestamp|_at$/i;

/** How much was heard or spoken, in milliseconds (Azure): no time that something took. */
const heardName = /^(?:total|audio|billed|billable)?_?duration_?(?:in_?)?milli_?seconds$/i;

/** Names of texts that say of what a number beside them is: `{ metric: 'num_prompt_tokens', value: 25 }` (Meta's Llama API). */
const measureNames = ['metric', 'unit'];

/** Names of media in answers. */
const mediumName =
  /^(?:audio|video|image|music|speech|sound|song|mesh|model_mesh)(?:s|_?(?:url|file|content|base64|data))?$/i;

/** Names of objects that hold a cost by its parts, and of those that count tokens. */
const costName = /cost|price|charge|billing/i;
const tokenName = /tokens?(?:_?counts?)?$|^(?:token_?)?usage$/i;

/** The place of a made file, or the file itself, whatever the field is called. */
const mediaFile =
  /^(?:data:(?:image|audio|video)\/|https?:\S+\.(?:png|jpe?g|webp|gif|avif|svg|mp4|webm|mov|mp3|wav|ogg|opus|flac|m4a|glb|obj|fbx)(?:[?#]|$))/i;

const isMediaFile = (value: unknown): boolean =>
  typeof value === 'string' ? mediaFile.test(value) : Array.isArray(value) && value.some(isMediaFile);

const place = /^(?:https?:|data:)/;

/** Paths of charges and media that no reader knows (D27.5), of answers in which nothing else was read. */
export function findCharges(answer: JsonObject, path: string): readonly string[] {
  const found = new Set<string>();
  let objects = 0;
  const search = (value: JsonObject, at: string, depth: number, isOfCharge: boolean): void => {
    objects += 1;
    const charged = depth > maxDepth ? tokenName : chargeName;
    const isMeasured = measureNames.some((name) => typeof value[name] === 'string' && charged.test(value[name]));
    for (const [name, inner] of Object.entries(value)) {
      if (found.size >= maxCharges || objects >= maxObjects) return;
      const inside = `${at}.${name}`.slice(0, 128).toWellFormed();
      if (typeof inner === 'number') {
        const isCharge = isOfCharge || charged.test(name) || (isMeasured && name === 'value');
        if (inner > 0 && ((isCharge && !otherName.test(name)) || heardName.test(name))) found.add(inside);
      } else if (depth <= maxDepth && isMade(name, inner)) found.add(inside);
      else if (depth < maxTokenDepth) {
        const isOfInner = isOfCharge || tokenName.test(name) || (depth < maxDepth && costName.test(name));
        const items = Array.isArray(inner) ? inner.slice(0, maxItems) : [inner];
        for (const item of items) {
          if (isJsonObject(item)) search(item, Array.isArray(inner) ? `${inside}[]` : inside, depth + 1, isOfInner);
        }
      }
    }
  };
  search(answer, path, 0, false);
  return [...found];
}

/** Whether a field holds media that an answer made. */
const isMade = (name: string, value: unknown): boolean =>
  isMediaFile(value) || (mediumName.test(name) && isMedium(value)) || (name === 'output' && isMadeFile(value));

/** The beginning of a medium, cut short. */
const base64 = /^(?=.*[A-Z])(?=.*[a-z])[\w+/-]{8,}={0,2}$/;

/** A text, an object or a list of them that is not empty. */
const isMedium = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.some(isMedium)
    : typeof value === 'string'
      ? value.length > 16 || base64.test(value)
      : isJsonObject(value) && Object.keys(value).length > 0;

/** The files that jobs put out. */
const isMadeFile = (value: unknown): boolean =>
  Array.isArray(value) ? value.some(isMadeFile) : typeof value === 'string' && place.test(value);
