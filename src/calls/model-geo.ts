/** Vertex's full name of a model: `projects/p/locations/europe-west4/publishers/google/models/…`. */
const vertexPath = /(?:^|\/)locations\/([a-z0-9-]+)\/(?:publishers|endpoints)\//;

/**
 * Bedrock's full name of a model or profile, with the region to which the request went; LiteLLM writes the region in
 * front of the name.
 */
const bedrockPath = /^(?:arn:aws:bedrock:|bedrock\/(?:(?:invoke|converse)\/)?)([a-z]{2}(?:-[a-z]+)+-\d)[:/](.*)$/;

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
