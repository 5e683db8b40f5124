import { wellKnownOf } from '@flotilla/envoy-rules';
import type { ExtensionChoice, SchemaSource } from '../../forms/schema-source.ts';
import type { Expected } from '../schema/expected.ts';
import { TYPE_URL_PREFIX } from '../schema/well-known.ts';
import { literal, requiredMembers, type Skeleton, type SkeletonMember } from './skeleton.ts';
import type { Suggestion } from './suggestion.ts';

type ExpectedValue = Expected & { readonly kind: 'value' };

/** Maximum number of messages that are loaded to write their required fields. */
const SKELETONS_MAX = 16;

/** Suggests `@type` values of an Any that fit its slot. */
export async function suggestTypeUrls(source: SchemaSource, slot: string | undefined): Promise<Suggestion[]> {
  const choices = await source.extensions(slot);
  return choices.map((choice) => ({
    ...describe(choice),
    label: TYPE_URL_PREFIX + choice.type,
    insert: { kind: 'value', value: literal(TYPE_URL_PREFIX + choice.type) },
  }));
}

/** Suggests complete extensions, ready to be filled in: an Any, or a name with an Any. */
export async function suggestExtensions(source: SchemaSource, expected: ExpectedValue): Promise<Suggestion[]> {
  const choices = await source.extensions(expected.slot);
  const loaded = choices.filter((choice) => choice.common).slice(0, SKELETONS_MAX);
  await Promise.all(loaded.map((choice) => source.load(choice.type)));
  const isAny = expected.value.kind === 'message' && wellKnownOf(expected.value.type) === 'any';
  return choices.map((choice) => {
    const any: Skeleton = {
      kind: 'object',
      members: [typeMember(choice), ...requiredMembers(source.peek(choice.type))],
    };
    const named: Skeleton = {
      kind: 'object',
      members: [
        { key: 'name', value: literal(choice.name) },
        { key: 'typed_config', value: any },
      ],
    };
    return { ...describe(choice), insert: { kind: 'value', value: isAny ? any : named } };
  });
}

/** Suggests stored documents in the place of an extension: as `{ "$ref": ... }`, as its only member, or as the value of that member. */
export async function suggestReferences(
  source: SchemaSource,
  expected: ExpectedValue,
  form: 'object' | 'member' | 'value',
): Promise<Suggestion[]> {
  const stored = await source.candidates({
    slot: expected.slot,
    type: expected.slot === undefined && expected.value.kind === 'message' ? expected.value.type : undefined,
  });
  return stored.items.map(({ ref, type }, index) => {
    const member: SkeletonMember = { key: '$ref', value: literal(ref) };
    return {
      label: form === 'value' ? ref : `$ref ${ref}`,
      kind: 'reference',
      detail: type ?? undefined,
      rank: 3000 + index,
      deprecated: false,
      insert:
        form === 'member'
          ? { kind: 'member', member }
          : { kind: 'value', value: form === 'value' ? member.value : { kind: 'object', members: [member] } },
    };
  });
}

function typeMember(choice: ExtensionChoice): SkeletonMember {
  return { key: '@type', value: literal(TYPE_URL_PREFIX + choice.type) };
}

function describe(choice: ExtensionChoice) {
  return {
    label: choice.name,
    kind: 'type',
    detail: choice.title ?? undefined,
    rank: (choice.common ? 100 : 200) + (choice.deprecated ? 10_000 : 0),
    deprecated: choice.deprecated ?? false,
  } as const;
}
