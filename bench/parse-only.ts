import Fastify from 'fastify';

/**
 * The least that a server for events can do, on the framework that Farthing uses: it takes a request, parses it and answers.
 * That bounds the rate of an intake that checks, merges and stores nothing.
 */
const app = Fastify({ bodyLimit: 64 * 1_048_576 });
app.removeAllContentTypeParsers();
app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => {
  done(null, JSON.parse(body.toString()));
});
app.post('/*', async () => ({ ok: true }));
await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) });
