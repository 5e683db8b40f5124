import type { Json } from '../../model/json.ts';
import type { AddressText } from './address-lines.ts';
import { createEndpoint, writeEndpoint } from './endpoints.ts';

interface Place {
  readonly index: number;
  /** Whether the first line replaces the address of the item at the index. The item keeps its other settings. */
  readonly replaces: boolean;
}

/** Adds one item for each line after the place. A first line without a weight keeps the weight of the item that it replaces. */
export function pasteEndpoints(
  items: readonly Json[],
  { index, replaces }: Place,
  lines: readonly AddressText[],
): { readonly items: readonly Json[]; readonly last: number } {
  const [first, ...rest] = lines;
  if (!replaces || first === undefined)
    return { items: items.toSpliced(index + 1, 0, ...lines.map(createEndpoint)), last: index + lines.length };
  let item = writeEndpoint(writeEndpoint(items[index], 'host', first.host), 'port', first.port);
  if (first.weight !== '') item = writeEndpoint(item, 'weight', first.weight);
  return { items: items.toSpliced(index, 1, item, ...rest.map(createEndpoint)), last: index + rest.length };
}
