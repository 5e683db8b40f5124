import * as z from 'zod';
import { mayBeOverridden } from '../method-words.ts';
import type { Complaint } from '../problem.ts';
import { type EngineSpec, HEADER_NAME, isRecord } from './engine-spec.ts';

export interface MethodsOptions {
  /** As sent, because methods are case-sensitive (RFC 9110 section 9.1). Not empty. */
  readonly allow: readonly string[];
}

const schema = z
  .strictObject({
    allow: z
      .array(z.string().max(64))
      .min(1)
      .max(32)
      .describe(
        'Methods that requests may have, exactly as sent: GET does not include HEAD, and browsers of other origins need OPTIONS. A method that a header, a parameter or an inspected body asks for has to be listed, too',
      ),
  })
  .meta({ title: 'Methods', description: 'Allows only some methods; null disables an inherited list' });

/** A method is a token, like a header name (RFC 9110 section 9.1). */
const METHOD = HEADER_NAME;

export function findMethodFault(methods: readonly unknown[], index: number): string | undefined {
  const method = methods[index];
  if (typeof method !== 'string') return undefined;
  if (!METHOD.test(method)) return 'is not a method, such as GET';
  return methods.indexOf(method) === index ? undefined : 'is listed already';
}

function check(block: unknown): Complaint[] {
  if (!isRecord(block) || !Array.isArray(block.allow)) return [];
  const { allow } = block;
  return allow.flatMap((_, index): Complaint[] => {
    const message = findMethodFault(allow, index);
    return message === undefined ? [] : [{ path: ['allow', index], rule: 'methods.method', message }];
  });
}

export const methodsSpec: EngineSpec<MethodsOptions> = {
  schema,
  check,
  usesBody: ({ allow }) => mayBeOverridden(allow),
  normalize: (block) => ({ allow: (block as z.output<typeof schema>).allow }),
};
