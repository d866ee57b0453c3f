/** The parts of an OpenAPI 3.1 document that this folder works on. */

/** A JSON Schema of 2020-12. */
export type Schema = Readonly<Record<string, unknown>>;

export interface Reference {
  readonly $ref: string;
}

export interface Example {
  readonly value: unknown;
}

export interface Media {
  readonly schema?: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, Example>>;
}

export interface Header {
  readonly description: string;
  readonly required?: boolean;
  readonly schema: Schema;
  readonly example?: unknown;
}

export interface Parameter {
  readonly in: 'path' | 'query' | 'header' | 'cookie';
  readonly name: string;
  readonly description?: string;
  readonly required?: boolean;
  readonly schema: Schema;
  readonly example?: unknown;
}

export interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Header | Reference>>;
  readonly content?: Readonly<Record<string, Media>>;
}

export interface RequestBody {
  readonly description?: string;
  readonly required?: boolean;
  readonly content: Readonly<Record<string, Media>>;
}

export type SecurityRequirement = Readonly<Record<string, readonly string[]>>;

export interface Operation {
  readonly operationId?: string;
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly security?: readonly SecurityRequirement[];
  readonly parameters?: readonly (Parameter | Reference)[];
  readonly requestBody?: RequestBody;
  readonly responses?: Readonly<Record<string, Response | Reference>>;
}

export interface Document {
  readonly tags?: readonly { readonly name: string; readonly description?: string }[];
  readonly paths?: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> };
}
