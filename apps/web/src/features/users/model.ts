export type { UserView as User } from '@flotilla/contract';

/** A filter of the API that takes one boolean: both boxes ticked is no filter. */
export function toBooleanFilter(values: readonly string[] | undefined): 'true' | 'false' | undefined {
  if (values?.length !== 1) return undefined;
  return values[0] === 'true' ? 'true' : values[0] === 'false' ? 'false' : undefined;
}
