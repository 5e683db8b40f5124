import { errorBodySchema, familyOf, type RouteContract, type Schema } from '@flotilla/contract';
import * as z from 'zod';

/** OpenAPI 3.1 of all contracts: the same schemas that check requests. Source: spec.openapis.org/oas/v3.1.1. */
export function createOpenApi(contracts: readonly RouteContract[], version: string): Record<string, unknown> {
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
    parameters: [...toParameters(contract.params, 'path'), ...toParameters(contract.query, 'query')],
    ...(contract.body && {
      requestBody: { required: true, content: { 'application/json': { schema: toSchema(contract.body, 'input') } } },
    }),
    ...(contract.upload && {
      requestBody: {
        required: true,
        content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
      },
    }),
    responses: {
      [contract.status]: {
        description: 'Done',
        ...(contract.response && {
          content: { [contract.media ?? 'application/json']: { schema: toSchema(contract.response, 'output') } },
        }),
      },
      default: { $ref: '#/components/responses/Error' },
    },
  };
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
