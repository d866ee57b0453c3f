// Written by scripts/generate-sdk-api.ts from the OpenAPI document of the service; changes here are lost.

export interface Dimensions {
  customer?: string | undefined;
  user?: string | undefined;
  feature?: string | undefined;
  /** The execution of a feature that the call is part of. */
  run?: string | undefined;
}

export const dimensions = ['customer', 'user', 'feature', 'run'] as const;
