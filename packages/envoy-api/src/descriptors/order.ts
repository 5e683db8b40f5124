import { create } from '@bufbuild/protobuf';
import { type FileDescriptorProto, type FileDescriptorSet, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';

export interface OrderedSet {
  readonly set: FileDescriptorSet;
  /** Files that were left out because a direct or indirect import is missing: `file <- missing import`. */
  readonly incomplete: readonly string[];
}

/** Orders files after their imports, as registries require. Deterministic: names decide otherwise. */
export function orderDescriptors(files: readonly FileDescriptorProto[]): OrderedSet {
  const byName = new Map(files.map((file) => [file.name, file]));
  const state = new Map<string, 'open' | 'done' | 'incomplete'>();
  const ordered: FileDescriptorProto[] = [];
  const incomplete: string[] = [];

  const visit = (file: FileDescriptorProto): boolean => {
    const known = state.get(file.name);
    if (known) return known === 'done';
    state.set(file.name, 'open');
    for (const dependency of file.dependency) {
      const imported = byName.get(dependency);
      if (imported && visit(imported)) continue;
      incomplete.push(`${file.name} <- ${dependency}`);
      state.set(file.name, 'incomplete');
      return false;
    }
    state.set(file.name, 'done');
    ordered.push(file);
    return true;
  };

  for (const name of [...byName.keys()].sort()) {
    const file = byName.get(name);
    if (file) visit(file);
  }
  return { set: create(FileDescriptorSetSchema, { file: ordered }), incomplete };
}
