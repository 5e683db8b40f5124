import { errorBodySchema, type RouteContract, type Schema } from '@flotilla/contract';
import type { FastifyInstance } from 'fastify';
import { JSON_TYPE, MERGE_PATCH_TYPE } from './json-body.ts';
import { PARAMETERS } from './openapi-parameters.ts';
import { type JsonSchema, SchemaCollection } from './openapi-schemas.ts';
import { findWritable } from './read-only.ts';

/** Request headers of writes. */
const HEADERS = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
    description: 'Requests with the same key and body count as one request for a day: all get the first answer',
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    schema: { type: 'string' },
    description: 'The ETag of the record when it was read: if it has changed, the request is refused (412)',
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    schema: { type: 'string' },
    description: '`*`: an existing record is not replaced (412)',
  },
} as const;

const RULES = `POST creates records (201, with Location), PUT replaces them, PATCH changes parts of them (JSON merge patch: null clears), and DELETE deletes them.

A record can be sent back as it was read: read-only members must have their stored value, and another value is refused (rule read_only). Answers never contain secrets; a write without them keeps them. A write that changes nothing creates no revision.

Every record has an ETag, and If-Match is supported. Lists continue with next_cursor, which is valid for that list with the same sort order and filters. With dry_run=true a write is checked and not executed.`;

/** Serves the description, which is created at the first request so that it does not delay the start. */
export function addOpenApi(app: FastifyInstance, contracts: readonly RouteContract[], version: string): void {
  let text: string | undefined;
  app.get('/api/openapi.json', (_request, reply) => {
    text ??= JSON.stringify(createOpenApi(contracts, version));
    return reply.type('application/json; charset=utf-8').compress(text);
  });
}

/** OpenAPI 3.1 of all contracts, from the schemas that check requests. Source: spec.openapis.org/oas/v3.1.1. */
function createOpenApi(contracts: readonly RouteContract[], version: string): Record<string, unknown> {
  const schemas = new SchemaCollection();
  const writable = findWritable(contracts);
  const paths: Record<string, Record<string, unknown>> = {};
  for (const contract of contracts.toSorted((a, b) => a.path.localeCompare(b.path))) {
    const path = contract.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [contract.method.toLowerCase()]: describeOperation(contract, schemas) };
  }
  for (const { read, readOnly } of writable.values()) {
    if (read.response) markReadOnly(schemas.resolve(schemas.describe(read.response, 'output')), Object.keys(readOnly));
  }
  const error = schemas.describe(errorBodySchema, 'output');
  return {
    openapi: '3.1.0',
    info: {
      title: 'Flotilla',
      version,
      description: RULES,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'The controller that returned this description' }],
    tags: [...new Set(contracts.map(({ tag }) => tag))].toSorted().map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        cookie: {
          type: 'apiKey',
          in: 'cookie',
          name: 'flotilla_session',
          description:
            "The session of a browser (over https: __Host-flotilla_session). It gives the same access as an access token; every method except GET and HEAD also needs the session's CSRF token as x-csrf-token.",
        },
      },
      parameters: HEADERS,
      schemas: schemas.components,
      responses: {
        Error: {
          description: 'What is wrong and what to do',
          content: { [JSON_TYPE]: { schema: error } },
        },
      },
    },
  };
}

function describeOperation(contract: RouteContract, schemas: SchemaCollection): Record<string, unknown> {
  const { access } = contract;
  return {
    operationId: contract.id,
    summary: contract.summary,
    tags: [contract.tag],
    security: access.kind === 'public' ? [] : [access.kind === 'cookie' ? { cookie: [] } : { bearer: [] }],
    'x-access': access.kind === 'roles' ? { roles: access.roles, project: contract.project } : { kind: access.kind },
    // The scope that a restricted token needs.
    'x-family': contract.family,
    parameters: [
      ...toParameters(contract.params, 'path', schemas),
      ...toParameters(contract.query, 'query', schemas),
      ...describeHeaders(contract),
    ],
    ...(contract.body && {
      requestBody: {
        required: isNeeded(contract.body),
        content: describeBody(contract, toBodySchema(contract, contract.body, schemas)),
      },
    }),
    ...(contract.upload && {
      requestBody: {
        required: true,
        content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
      },
    }),
    responses: {
      [contract.status]: describeAnswer(contract, schemas),
      ...(contract.makes && { 201: { ...describeAnswer(contract, schemas), description: 'Created' } }),
      default: { $ref: '#/components/responses/Error' },
    },
  };
}

function describeAnswer({ response, media }: RouteContract, schemas: SchemaCollection): Record<string, unknown> {
  const content = response && { [media ?? JSON_TYPE]: { schema: schemas.describe(response, 'output') } };
  return { description: 'Done', ...(content && { content }) };
}

function isNeeded(body: Schema): boolean {
  return !body.safeParse(undefined).success;
}

/** If the body is one member of the record, the complete record is accepted as well. */
function toBodySchema({ writes }: RouteContract, body: Schema, schemas: SchemaCollection): JsonSchema {
  const schema = schemas.describe(body, 'input');
  return writes
    ? { anyOf: [schema, { type: 'object', properties: { [writes]: schema }, required: [writes] }] }
    : schema;
}

function describeBody({ method }: RouteContract, schema: JsonSchema): Record<string, unknown> {
  return { [JSON_TYPE]: { schema }, ...(method === 'PATCH' && { [MERGE_PATCH_TYPE]: { schema } }) };
}

function describeHeaders({ method, access, everyTime }: RouteContract): unknown[] {
  if (method === 'GET' || access.kind === 'public') return [];
  const isNamed = (name: keyof typeof HEADERS) => ({ $ref: `#/components/parameters/${name}` });
  if (method === 'POST') return everyTime ? [] : [isNamed('IdempotencyKey')];
  return [isNamed('IfMatch'), ...(method === 'PUT' ? [isNamed('IfNoneMatch')] : [])];
}

function toParameters(schema: Schema | undefined, where: 'path' | 'query', schemas: SchemaCollection): unknown[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = schemas.resolve(schemas.describe(schema, 'input')) as {
    properties?: Record<string, JsonSchema>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description = PARAMETERS[name], ...property }]) => ({
    name,
    in: where,
    required: where === 'path' || required.includes(name),
    description,
    schema: property,
  }));
}

/** Marks the members that writes only accept unchanged. */
function markReadOnly(
  { properties = {} }: { properties?: Record<string, JsonSchema> },
  names: readonly string[],
): void {
  for (const name of names) if (properties[name]) properties[name].readOnly = true;
}
