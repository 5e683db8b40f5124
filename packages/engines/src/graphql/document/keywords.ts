/** Keywords of the grammar in bytes. */
export const ON = Buffer.from('on');
export const QUERY = Buffer.from('query');
export const MUTATION = Buffer.from('mutation');
export const SUBSCRIPTION = Buffer.from('subscription');
export const FRAGMENT = Buffer.from('fragment');
export const EXTEND = Buffer.from('extend');
