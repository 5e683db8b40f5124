export const PACKAGED_SET = '';
