/** Vertex's full name of a model: `projects/p/locations/europe-west4/publishers/google/models/…`. */
const vertexPath = /(?:^|\/)locations\/([a-z0-9-]+)\/(?:publishers|endpoints)\//;

/** Bedrock's full name with the region, which LiteLLM writes in front of the name. */
const bedrockPath =
  /^(?:arn:aws:bedrock:|bedrock(?:_[a-z]+)?\/(?:(?:invoke|converse)\/)?)([a-z]{2}(?:-[a-z]+)+-\d)[:/](.*)$/;

/** A profile of several regions. Its name has a price of its own, wherever the request went. */
const profile = /(?:^|\/)(?:global|[a-z]{2,5})\.[a-z0-9-]+\./;

/** LiteLLM's names of Azure's data zones and global deployments. */
const azurePath = /^(?:azure\/)?(us|eu|global(?=-standard\/|\/))(?:-standard)?\//;

/** The region that a model's name says, which is the term `geo`; undefined if it says none. */
export function geoOfModel(model: string): string | undefined {
  // Most names have no path.
  if (!model.includes('/') && !model.startsWith('arn:')) return undefined;
  const name = model.toLowerCase();
  const place = vertexPath.exec(name)?.[1] ?? azurePath.exec(name)?.[1];
  if (place !== undefined) return place;
  const [, region, rest = ''] = bedrockPath.exec(name) ?? [];
  return region === undefined || profile.test(rest) ? undefined : region;
}

/** What a model's name may say besides the model: regions and the maker before it, the date and the version behind it. */
const details =
  /^(?:[a-z]+(?:-[a-z]+)*\.){0,2}|(?:[-@]20\d{2}-?(?:0[1-9]|1[0-2])-?(?:0[1-9]|[12]\d|3[01]))?(?:-v\d+(?::\d+)?)?$/g;

/** A model's name without the sellers and the path in front of it, as `openai/gpt-4o` is `gpt-4o`. */
export const withoutPath = (model: string): string => model.slice(model.lastIndexOf('/') + 1);

/** A model's name without its path, regions, maker, date and version. */
export const withoutDetails = (model: string): string => withoutPath(model).replace(details, '');

/** What requested names say beyond the answered one: the region, a profile of several, priced apart, and the day of a snapshot. */
export function addRequested(
  answered: string | undefined,
  requested: readonly string[],
): { readonly model: string | undefined; readonly geo: string | undefined } {
  if (answered === undefined) return { model: undefined, geo: undefined };
  const isOwn = geoOfModel(answered) !== undefined || profile.test(answered);
  if (isOwn) return { model: answered, geo: undefined };
  const names = requested.map(withoutPath).filter((name) => withoutDetails(name) === withoutDetails(answered));
  const fuller =
    names.find((name) => profile.test(name)) ??
    names.find((name) => name.length > answered.length && name.startsWith(answered));
  return { model: fuller ?? answered, geo: requested.map(geoOfModel).find((geo) => geo !== undefined) };
}

/** The first of the names of a model, or the same one with more detail among the others. */
export const fullestName = (names: readonly string[]): string | undefined => addRequested(names[0], names).model;
