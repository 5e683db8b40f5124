import { errorBodySchema, familyOf, type RouteContract, type Schema } from '@flotilla/contract';
import type { FastifyInstance } from 'fastify';
import * as z from 'zod';
import { JSON_TYPE, MERGE_PATCH_TYPE } from './json-body.ts';

/** What a write may be told beside its body. */
const HEADERS = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
    description: 'Requests with one key and body are one request, for a day: each is answered as the first was',
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    schema: { type: 'string' },
    description: 'The ETag that the record was read with: once it is another, the request is refused (412)',
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    schema: { type: 'string' },
    description: '`*`: a record that is there is not replaced (412)',
  },
} as const;

/** Serves the description. It is made for who asks first: no start waits for it. */
export function addOpenApi(app: FastifyInstance, contracts: readonly RouteContract[], version: string): void {
  let text: string | undefined;
  app.get('/api/openapi.json', (_request, reply) => {
    text ??= JSON.stringify(createOpenApi(contracts, version));
    return reply.type('application/json; charset=utf-8').compress(text);
  });
}

/** OpenAPI 3.1 of all contracts: the same schemas that check requests. Source: spec.openapis.org/oas/v3.1.1. */
function createOpenApi(contracts: readonly RouteContract[], version: string): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const contract of contracts.toSorted((a, b) => a.path.localeCompare(b.path))) {
    const path = contract.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [contract.method.toLowerCase()]: describeOperation(contract) };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Flotilla', version, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    paths,
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        cookie: {
          type: 'apiKey',
          in: 'cookie',
          name: 'flotilla_session',
          description:
            "The session of a browser (over https: __Host-flotilla_session). It opens all that an access token opens; everything but GET and HEAD also needs the session's CSRF token as x-csrf-token.",
        },
      },
      parameters: HEADERS,
      schemas: { Error: toSchema(errorBodySchema, 'output') },
      responses: {
        Error: {
          description: 'What is wrong and what to do',
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
        },
      },
    },
  };
}

function describeOperation(contract: RouteContract): Record<string, unknown> {
  const { access } = contract;
  return {
    operationId: contract.id,
    summary: contract.summary,
    tags: [contract.tag],
    security: access.kind === 'public' ? [] : [access.kind === 'cookie' ? { cookie: [] } : { bearer: [] }],
    'x-access': access.kind === 'roles' ? { roles: access.roles, project: contract.project } : { kind: access.kind },
    // What a token must be good for, where it is narrowed to some families.
    'x-family': familyOf(contract),
    parameters: [
      ...toParameters(contract.params, 'path'),
      ...toParameters(contract.query, 'query'),
      ...describeHeaders(contract),
    ],
    ...(contract.body && {
      requestBody: {
        required: isNeeded(contract.body),
        content: describeBody(contract, toBodySchema(contract, contract.body)),
      },
    }),
    ...(contract.upload && {
      requestBody: {
        required: true,
        content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
      },
    }),
    responses: {
      [contract.status]: describeAnswer(contract),
      ...(contract.makes && { 201: describeAnswer(contract) }),
      default: { $ref: '#/components/responses/Error' },
    },
  };
}

function describeAnswer({ response, media }: RouteContract): Record<string, unknown> {
  const content = response && { [media ?? JSON_TYPE]: { schema: toSchema(response, 'output') } };
  return { description: 'Done', ...(content && { content }) };
}

function isNeeded(body: Schema): boolean {
  return !body.safeParse(undefined).success;
}

/** Of a body that is a member of the record that is read: also that record. */
function toBodySchema({ writes }: RouteContract, body: Schema): Record<string, unknown> {
  const schema = toSchema(body, 'input');
  return writes
    ? { anyOf: [schema, { type: 'object', properties: { [writes]: schema }, required: [writes] }] }
    : schema;
}

function describeBody({ method }: RouteContract, schema: Record<string, unknown>): Record<string, unknown> {
  return { [JSON_TYPE]: { schema }, ...(method === 'PATCH' && { [MERGE_PATCH_TYPE]: { schema } }) };
}

function describeHeaders({ method, access, everyTime }: RouteContract): unknown[] {
  if (method === 'GET' || access.kind === 'public') return [];
  const isNamed = (name: keyof typeof HEADERS) => ({ $ref: `#/components/parameters/${name}` });
  if (method === 'POST') return everyTime ? [] : [isNamed('IdempotencyKey')];
  return [isNamed('IfMatch'), ...(method === 'PUT' ? [isNamed('IfNoneMatch')] : [])];
}

function toParameters(schema: Schema | undefined, where: 'path' | 'query'): unknown[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = toSchema(schema, 'input') as {
    properties?: Record<string, unknown>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: where,
    required: where === 'path' || required.includes(name),
    schema: property,
  }));
}

function toSchema(schema: Schema, io: 'input' | 'output'): Record<string, unknown> {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    target: 'draft-2020-12',
    unrepresentable: 'any',
    reused: 'inline',
  });
  return json;
}
