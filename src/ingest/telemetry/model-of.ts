import { isKnownModel } from '../../pricing/known-models.ts';
import { addRequested, geoOfModel } from '../../usage/model-geo.ts';
import { type Attributes, firstText } from './otlp/attributes.ts';
import { withoutProvider } from './providers.ts';
import { type Lookup, ownPrefix } from './tables.ts';

interface NamedModel {
  readonly model: string | undefined;
  /** The region that its names say, where `model` doesn't. */
  readonly geo: string | undefined;
  /** The name that a proxy has for it. */
  readonly alias: string | undefined;
}

/** The model of a call. The name in an answer of a proxy may be its alias, where what was asked for is a model (D27.9). */
export function modelOf(attributes: Attributes, lookup: Lookup, provider: string | undefined): NamedModel {
  const [answered, asked] = [lookup.model, lookup.askedModel].map((names) =>
    withoutBeside(firstText(attributes, names), lookup),
  );
  const isAlias = asked !== undefined && answered !== undefined && asked !== answered && isAliasOf(answered, asked);
  const said = lookup.model.map((name) => attributes.get(name)).filter(isText);
  const named = addRequested(isAlias ? asked : answered, said);
  const model = named.model && withoutProvider(named.model, provider);
  const geo = named.geo ?? (model === named.model ? undefined : geoOfModel(named.model ?? ''));
  return { model, geo, alias: isAlias ? answered : undefined };
}

const withoutBeside = (name: string | undefined, { besideModel }: Lookup): string | undefined =>
  besideModel === undefined ? name : name?.replace(besideModel, '') || undefined;

const isAliasOf = (answered: string, asked: string): boolean => !isKnownModel(answered) && isKnownModel(asked);

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** Attributes with the tag that a proxy's alias of a model is. */
export const withGroup = (attributes: Attributes, alias: string): Attributes =>
  new Map([...attributes, [`${ownPrefix}model_group`, alias]]);
