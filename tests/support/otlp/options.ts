/** How tests read spans and log records that no request brought. */
export const options = {
  clientId: 'client',
  projectId: 'project',
  receivedAtMs: Date.parse('2026-12-01T00:00:00Z'),
  keepsContent: false,
  limits: { maxTags: 100, maxEventBytes: 1_048_576 },
};
