import type { DescriptorProto, FileDescriptorSet } from '@bufbuild/protobuf/wkt';

/**
 * Sets the camelCase JSON name of every field. protoc writes these names into the descriptors for plugins, but not into
 * those in a C++ binary such as Envoy.
 */
export function fillJsonNames(set: FileDescriptorSet): void {
  for (const file of set.file) for (const message of file.messageType) fillMessage(message);
}

function fillMessage(message: DescriptorProto): void {
  for (const field of message.field) if (field.jsonName === '') field.jsonName = toJsonName(field.name);
  for (const nested of message.nestedType) fillMessage(nested);
}

/** Like protoc: removes underscores and capitalizes the following character. */
function toJsonName(name: string): string {
  return name.replace(/_+(.?)/g, (_, next: string) => next.toUpperCase());
}
