import type { FormEnvironment } from '../form-context.ts';
import { withExtension } from '../model/any.ts';
import { isObject, type Json } from '../model/json.ts';
import { shortType } from '../model/names.ts';
import type { Option } from '../model/search.ts';
import { findConfigField } from '../model/well-known.ts';
import type { PickerRequest } from '../picker/picker-request.ts';
import type { Candidate, Candidates, ExtensionChoice, SchemaSource } from '../schema-source.ts';
import { texts } from './texts.tsx';

const text = texts.pickExtension;

export type Picked =
  | {
      readonly kind: 'extension';
      readonly extension: ExtensionChoice;
      /** Canonical names of all options: such a name was not chosen by the user. */
      readonly canonicalNames: ReadonlySet<string>;
    }
  | { readonly kind: 'reference'; readonly ref: string };

interface ExtensionRequest {
  readonly anchor: HTMLElement;
  readonly slot: string | undefined;
  readonly selected: string | undefined;
  readonly allowReference: boolean;
  readonly onPick: (picked: Picked) => void;
}

/** Opens the picker with the matching extensions, most used first, and the stored documents that may replace them. */
export function pickExtension({ source, pick }: FormEnvironment, request: ExtensionRequest): void {
  const offer = offerExtensions(source, request);
  pick({ anchor: request.anchor, title: text.picker.search, ...offer });
}

/** Offers the same selection for a separate button. */
export function offerExtensions(
  source: FormEnvironment['source'],
  { slot, selected, allowReference, onPick }: Omit<ExtensionRequest, 'anchor'>,
): Pick<PickerRequest, 'options' | 'more' | 'selected' | 'onPick'> {
  let extensions: readonly ExtensionChoice[] = [];
  let isPart = false;
  const options = async (): Promise<readonly Option[]> => {
    const [found, stored] = await Promise.all([
      source.extensions(slot),
      // Without a category every document would match.
      allowReference && slot !== undefined && slot !== '*' ? source.candidates({ slot }).catch(() => NONE) : NONE,
    ]);
    extensions = found;
    isPart = stored.truncated;
    const references = stored.items.map(toReference);
    const offered = found.filter((extension) => !extension.deprecated || extension.type === selected);
    const ranked = [...offered].sort((a, b) => Number(b.common) - Number(a.common) || a.title.localeCompare(b.title));
    return [
      ...ranked.filter(({ common }) => common).map((extension) => toOption(extension, text.groups.mostUsed)),
      ...references,
      ...ranked
        .filter(({ common }) => !common)
        .map((extension) =>
          toOption(extension, slot === undefined || slot === '*' ? extension.category : text.groups.all),
        ),
      ...found
        .filter((extension) => !offered.includes(extension))
        .map((extension) => toOption(extension, text.groups.deprecated)),
    ];
  };
  const choose = (id: string) => {
    if (id.startsWith('ref:')) onPick({ kind: 'reference', ref: id.slice('ref:'.length) });
    const extension = extensions.find((candidate) => toId(candidate) === id);
    if (extension) {
      onPick({ kind: 'extension', extension, canonicalNames: new Set(extensions.map(({ name }) => name)) });
    }
  };
  const more = async (q: string): Promise<readonly Option[]> =>
    isPart ? (await source.candidates({ slot, q })).items.map(toReference) : [];
  return { options, more, selected: selected === undefined ? undefined : `ext:${selected}`, onPick: choose };
}

const NONE: Candidates = { items: [], truncated: false };

function toReference({ ref, name, type }: Candidate): Option {
  return { id: `ref:${ref}`, label: name, code: ref, hint: shortType(type), group: text.toReference.storedDocuments };
}

function toId({ type }: ExtensionChoice): string {
  return `ext:${type}`;
}

function toOption(extension: ExtensionChoice, group: string): Option {
  return { id: toId(extension), label: extension.title, code: extension.name, group, deprecated: extension.deprecated };
}

/** Returns the message with the selection: a filter with its name and configuration, or a reference in its place. */
export async function toHolder(
  source: SchemaSource,
  { type, picked, before }: { readonly type: string; readonly picked: Picked; readonly before: Json | undefined },
): Promise<Json> {
  if (picked.kind === 'reference') return { $ref: picked.ref };
  const message = source.peek(type) ?? (await source.load(type).catch(() => undefined));
  return withExtension(isObject(before) ? before : {}, picked.extension, {
    configKey: message ? (findConfigField(message)?.name ?? 'typed_config') : 'typed_config',
    hasName: message?.fields.some(({ name }) => name === 'name') ?? true,
    canonicalNames: picked.canonicalNames,
  });
}
