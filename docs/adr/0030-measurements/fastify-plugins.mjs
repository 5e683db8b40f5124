// Measures the Fastify plugins that ADR 30 rejects. In an empty folder:
//   npm install fastify@5 zod@4 fastify-type-provider-zod@7 @fastify/rate-limit@11
//   node fastify-plugins.mjs
import rateLimit from '@fastify/rate-limit';
import Fastify from 'fastify';
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod';
import * as z from 'zod';

const REQUESTS = 4000;
const ROUNDS = 5;

const params = z.strictObject({ id: z.string().regex(/^[a-z]+$/) });
const querystring = z.strictObject({ limit: z.coerce.number().int().max(500).optional() });
const body = z.strictObject({ name: z.string().min(1), tags: z.array(z.string()).max(10) });
const item = z.object({ id: z.string(), name: z.string(), n: z.number(), at: z.string() });
const response = { 200: z.object({ items: z.array(item) }) };
const answer = {
  items: Array.from({ length: 100 }, (_, n) => ({ id: `id${n}`, name: `name ${n}`, n, at: '2026-01-01T00:00:00Z' })),
};

function withoutPlugin() {
  const app = Fastify();
  app.post('/things/:id', (request, reply) => {
    const parts = [
      params.safeParse(request.params),
      querystring.safeParse(request.query),
      body.safeParse(request.body),
    ];
    if (parts.some(({ success }) => !success)) throw new Error('refused');
    return reply.type('application/json').send(JSON.stringify(answer));
  });
  return app;
}

function withPlugin({ checksAnswers }) {
  const app = Fastify();
  app.setValidatorCompiler(validatorCompiler);
  if (checksAnswers) app.setSerializerCompiler(serializerCompiler);
  app.post('/things/:id', { schema: { params, querystring, body, ...(checksAnswers && { response }) } }, () => answer);
  return app;
}

const request = { method: 'POST', url: '/things/abc?limit=3', payload: { name: 'x', tags: ['a', 'b'] } };

async function requestsPerSecond(app) {
  await app.ready();
  for (let i = 0; i < 500; i += 1) await app.inject(request);
  const began = performance.now();
  for (let i = 0; i < REQUESTS; i += 1) await app.inject(request);
  return (REQUESTS / (performance.now() - began)) * 1000;
}

const rates = { 'own validation': [], 'type provider': [], 'type provider that checks answers': [] };
for (let round = 0; round < ROUNDS; round += 1) {
  rates['own validation'].push(await requestsPerSecond(withoutPlugin()));
  rates['type provider'].push(await requestsPerSecond(withPlugin({ checksAnswers: false })));
  rates['type provider that checks answers'].push(await requestsPerSecond(withPlugin({ checksAnswers: true })));
}
for (const [name, values] of Object.entries(rates))
  console.log(`${name}: ${Math.round(values.toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)])} requests/s`);

const bad = { method: 'POST', url: '/things/ABC?limit=9999&x=1', payload: { name: '', tags: 3 } };
console.log('five mistakes:', (await withPlugin({ checksAnswers: false }).inject(bad)).json().message);

const bare = Fastify();
bare.setValidatorCompiler(validatorCompiler);
bare.get('/things/:id', { schema: { params } }, () => ({}));
console.log('unknown parameter of a route without a query:', (await bare.inject('/things/abc?limt=5')).statusCode);

const limited = Fastify();
await limited.register(rateLimit, { max: 20, timeWindow: 1000, enableDraftSpec: true });
limited.get('/', () => 'x');
await limited.inject('/');
await new Promise((resolve) => setTimeout(resolve, 900));
let passed = 0;
for (const began = performance.now(); performance.now() - began < 200; ) {
  if ((await limited.inject('/')).statusCode === 200) passed += 1;
  await new Promise((resolve) => setTimeout(resolve, 2));
}
console.log(`passed within 200 ms at 20 requests a second: ${passed}`);
