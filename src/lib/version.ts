import manifest from '../../package.json' with { type: 'json' };

/** The version of Farthing, a semver (D12.1). */
export const version: string = manifest.version;
