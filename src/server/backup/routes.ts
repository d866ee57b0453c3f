import { PassThrough } from 'node:stream';
import { z } from 'zod';
import type { App } from '../../lib/http/app.ts';
import { Problem } from '../../lib/problem.ts';
import { integerParameter } from '../../lib/query-fields.ts';
import { pathId } from '../../lib/tag-map.ts';
import { timeField, toTime } from '../../lib/times.ts';
import { type ControlStoreOptions, readSnapshot } from '../../storage/control/control-store.ts';
import { type Backup, type BackupSources, beginBackup, endBackup, findBackup } from './backups.ts';
import { readControlRows } from './control-rows.ts';
import { selectPart } from './parts.ts';
import { followPins } from './pinned-days.ts';

export interface BackupRoutesOptions extends BackupSources {
  /** Opens a second connection to the control store, for a snapshot. */
  readonly controlOptions: ControlStoreOptions;
}

const exampleId = 'bak_01M7Y9B2V6N4Q8H0T3S5C7D9EF';
const begunFields = z.object({
  id: z.string(),
  created_at: timeField,
  parts: z
    .array(
      z.object({
        table: z.string(),
        from: z.number().int().describe('Seconds since 1970.'),
        to: z.number().int().describe('Seconds since 1970, exclusive.'),
        rows: z.number().int(),
        fingerprint: z.string().describe('Identifies the rows, whatever their order.'),
      }),
    )
    .describe('A part is requested by its position in this list, from 0.'),
  frozen: z
    .object({
      projects: z.array(z.string()),
      seals: z.array(z.array(z.number().int()).length(2).describe('The day and its seal.')),
    })
    .describe('Days that have only rollups left. Each seal is a pair: the day, as days since 1970, and its seal.'),
});
export type BegunBackupWire = z.output<typeof begunFields>;

const inBackup = z.object({ id: pathId.describe('The id of the backup.').meta({ examples: [exampleId] }) });
const bytes = 'application/octet-stream';
const lines = 'application/x-ndjson';

/** `POST /admin/backups/` and the routes that read a backup. `farthing backup` and `farthing move` use them (D13.2). */
export function registerBackups(app: App, options: BackupRoutesOptions): void {
  const { control, controlOptions, store } = options;
  const config = { access: 'admin', mayTakeLong: true } as const;
  const tags = ['Admin'];

  app.post('/admin/backups/', {
    config,
    schema: {
      summary: 'Begin a backup',
      description:
        'The backup contains every event acknowledged before it began. Read its control store and each of its parts, then end it. ' +
        'Nothing is deleted until the backup ends, or until nobody has read from it for ten minutes.',
      tags,
      response: {
        201: begunFields.meta({
          description: 'The backup has begun.',
          examples: [
            {
              id: exampleId,
              created_at: '2026-11-21T05:30:02.118Z',
              parts: [
                {
                  table: 'events',
                  from: 1795219200,
                  to: 1795240800,
                  rows: 412,
                  fingerprint: '9382770917321184406',
                },
              ],
              frozen: { projects: [], seals: [] },
            },
          ],
        }),
      },
    },
    handler: async (_request, reply) => {
      const { id, createdAt, parts, scope } = await beginBackup(options);
      return reply.code(201).send({
        id,
        created_at: toTime(createdAt),
        parts: [...parts],
        frozen: { projects: [...scope.frozen.projects], seals: scope.frozen.seals.map(([day, seal]) => [day, seal]) },
      });
    },
  });

  app.get('/admin/backups/:id/control/', {
    config,
    schema: {
      summary: 'The control store of a backup',
      description: 'A snapshot of its rows, with hashes instead of keys and secrets.',
      tags,
      params: inBackup,
      produces: [lines],
      response: {
        200: {
          description: 'One row per line.',
          content: {
            [lines]: {
              schema: z.unknown().meta({
                type: 'string',
                description: 'One row per line, with its table.',
                examples: ['{"table":"projects","row":{"id":"prj_01M7Y9B2V6N4Q8H0T3S5C7D9EF"}}\n'],
              }),
            },
          },
        },
      },
    },
    handler: async (request, reply) => {
      const { scope } = await needBackup(options, request.params.id);
      const output = new PassThrough();
      readSnapshot(controlOptions, (snapshot) =>
        readControlRows(snapshot, scope, async (rows) => {
          const text = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
          if (output.destroyed) throw new Error('The client closed the connection of a backup');
          if (output.write(text)) return;
          await new Promise<void>((resolve) => {
            output.once('drain', resolve);
            output.once('close', resolve);
          });
        }),
      ).then(
        () => output.end(),
        (error: Error) => output.destroy(error),
      );
      return reply.type(lines).send(output);
    },
  });

  app.get('/admin/backups/:id/parts/:part/', {
    config,
    schema: {
      summary: 'A part of a backup',
      description: "Rows of one table in ClickHouse's Native format.",
      tags,
      params: inBackup.extend({
        part: integerParameter(0, 10_000_000)
          .describe('The position of the part in the list, from 0.')
          .meta({ examples: [0] }),
      }),
      produces: [bytes],
      response: {
        200: {
          description: 'The rows.',
          content: {
            [bytes]: {
              schema: z.unknown().meta({
                type: 'string',
                format: 'binary',
                description: 'Blocks of rows.',
                examples: ['\u0001\u0001\u0003seq\u0006UInt64…'],
              }),
            },
          },
        },
      },
    },
    handler: async (request, reply) => {
      const { parts, scope } = await needBackup(options, request.params.id);
      const part = parts[request.params.part];
      if (!part) throw new Problem('not_found', 'The backup has no such part.');
      const pins = part.table === 'calls' ? await followPins(control, scope.pins ?? []) : [];
      const { sql, parameters } = selectPart(part, { ...scope, pins });
      const gone = new AbortController();
      const rows = await store.streamNative(sql, parameters, gone.signal);
      reply.raw.once('close', () => gone.abort());
      return reply.type(bytes).send(rows);
    },
  });

  app.delete('/admin/backups/:id/', {
    config,
    schema: {
      summary: 'End a backup',
      description: 'The backup can no longer be read, and deletions continue.',
      tags,
      params: inBackup,
      response: { 204: z.null().meta({ description: 'It has ended.' }) },
    },
    handler: async (request, reply) => {
      await needBackup(options, request.params.id);
      await endBackup(control, request.params.id);
      return reply.code(204).send(null);
    },
  });
}

async function needBackup(options: BackupRoutesOptions, id: string): Promise<Backup> {
  const backup = await findBackup(options, id);
  if (!backup) throw new Problem('not_found', 'There is no such backup, or it has expired: begin another.');
  return backup;
}
