// A local server of price catalogue data, instead of the one on the internet.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { installedCatalogue } from '../../src/pricing/catalogue.ts';

export interface PriceUpstream {
  url: string;
  /** Sets the served catalogue; without it the installed one is served. */
  answer(body: string, status?: number): void;
  stop(): Promise<void>;
}

export async function startPriceUpstream(): Promise<PriceUpstream> {
  let answered = { body: catalogueJson(), status: 200 };
  const server = createServer((_request, response) => {
    response.writeHead(answered.status, { 'content-type': 'text/plain; charset=utf-8' }).end(answered.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // Must not keep the process alive if the test run fails at its start.
  server.unref();
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/prices.json`,
    answer: (body, status = 200) => {
      answered = { body, status };
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const provider = z.looseObject({ id: z.string(), models: z.array(z.looseObject({ id: z.string() })) });

/** The installed catalogue in its upstream's format, with one more OpenAI model. */
export function catalogueJson(model?: { name: string; input: number; output: number }): string {
  const { providers } = z.object({ providers: z.array(provider) }).parse(JSON.parse(installedCatalogue().data));
  const added = model && {
    id: model.name,
    match: { equals: model.name },
    prices: { input_mtok: model.input, output_mtok: model.output },
  };
  return JSON.stringify(
    providers.map((one) => (one.id === 'openai' && added ? { ...one, models: [added, ...one.models] } : one)),
  );
}
