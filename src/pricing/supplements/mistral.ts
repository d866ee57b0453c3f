import type { Supplement } from '../supplement-data.ts';

const pricePage = 'https://mistral.ai/pricing/api/';

export const mistralSupplements: readonly Supplement[] = [
  mistral('', { when: { service_tier: ['default', 'standard', 'auto'] }, tokens: { factor: '1' } }),
  mistral('', { when: { service_tier: ['batch'] }, tokens: { factor: '0.5' } }),
  mistral('', { when: { geo: ['global'] }, tokens: { factor: '1' } }),
  mistral('', {
    source: 'https://docs.mistral.ai/studio/regional-inference',
    note: 'For input, output and cached tokens at the endpoints of a region, since they left their preview.',
    from: '2026-08-11',
    when: { geo: ['eu', 'us'] },
    tokens: { factor: '1.1' },
  }),

  // Built-in tools.
  mistral('', {
    units: {
      web_searches: { usd: 30, per: 1000 },
      code_sessions: { usd: 30, per: 1000 },
      images: { usd: 100, per: 1000 },
    },
    note: 'Searches in premium news cost 50 per 1,000; an answer does not tell them apart.',
  }),

  ...ocr('2503', 1),
  ...ocr('2505', 1, 3),
  ...ocr('2512', 2, 3),
  ...ocr('4-0', 4, 5),
  ...ocr('4(?:-1)?', 4, 5),
  ...ocr('latest', 1, undefined, { until: '2025-05-22' }),
  ...ocr('latest', 1, 3, { from: '2025-05-22', until: '2025-12-18' }),
  ...ocr('latest', 2, 3, { from: '2025-12-18', until: '2026-06-23' }),
  ...ocr('latest', 4, 5, { from: '2026-06-23' }),

  transcription('^voxtral-mini-(?:latest|2602)$', 0.003),
  transcription('^voxtral-mini-transcribe-realtime-2602$', 0.006),
  transcription('^voxtral-mini-transcribe-realtime-(?:3(?:-0)?|latest)$', 0.008, {
    source: 'https://docs.mistral.ai/models/voxtral-mini-transcribe-realtime-3-0.md',
    from: '2026-10-20',
  }),
  transcription('^voxtral-mini-transcribe-(?:3(?:-0)?|latest)$', 0.0035, {
    source: 'https://vercel.com/ai-gateway/models/voxtral-mini-transcribe-3.md',
    from: '2026-10-20',
  }),
  transcription('^voxtral-small-transcribe-(?:3(?:-0)?|latest)$', 0.004, {
    source: 'https://vercel.com/ai-gateway/models/voxtral-small-transcribe-3.md',
    from: '2026-10-20',
  }),
  mistral('^voxtral-small-(?:latest|2507|24b-2507)$', audio(0.004)),
  mistral('^voxtral-mini-tts-2603$', { units: { characters: { usd: 0.016, per: 1000 } } }),
  mistral('^voxtral-mini-tts-3(?:-0)?$', {
    source: 'https://micdrop.dev/blog/mistral-voice-agent-voxtral-3.md',
    note: "OpenRouter has 14.30 per million in the EU, which is this price with the region's surcharge.",
    units: { characters: { usd: 0.013, per: 1000 } },
  }),
];

function mistral(model: string, supplement: Partial<Supplement>): Supplement {
  return {
    kind: 'supplement',
    providers: ['mistral'],
    source: pricePage,
    checkedOn: '2026-11-24',
    ...(model === '' ? {} : { match: { regex: model } }),
    ...supplement,
  };
}

/** US dollars for 1,000 pages, and for annotating them; half of both in a batch. The alias moves to each new model. */
function ocr(
  version: string,
  pages: number,
  annotated?: number,
  period: Pick<Supplement, 'from' | 'until'> = {},
): readonly Supplement[] {
  const prices = (factor: number): Supplement['units'] => ({
    pages: { usd: pages * factor, per: 1000 },
    ...(annotated === undefined ? {} : { annotated_pages: { usd: annotated * factor, per: 1000 } }),
  });
  const regex = `^mistral-ocr-${version}(?:-completion)?$`;
  return [
    mistral(regex, { ...period, units: prices(1) }),
    mistral(regex, { ...period, when: { service_tier: ['batch'] }, units: prices(0.5) }),
  ];
}

/** US dollars for a minute of audio. */
function audio(usd: number): Pick<Supplement, 'units'> {
  return { units: { audio_seconds: { usd, per: 60 } } };
}

/** A model that only transcribes, in US dollars for a minute. The tokens that it also reports cost nothing. */
function transcription(
  model: string,
  usd: number,
  supplement: Pick<Supplement, 'from'> & { source?: string } = {},
): Supplement {
  return mistral(model, { ...supplement, ...audio(usd), tokens: { prices: { input_mtok: 0, output_mtok: 0 } } });
}
