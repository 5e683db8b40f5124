/**
 * Folds all spellings that a directory may accept for one name: ignores case, spaces, accents, letter width and
 * invisible characters (RFC 4518, section 2; Active Directory ignores accents too). Coarser than any directory, and
 * without white space. Only for counting attempts: different local names may count as one.
 */
export function foldName(typed: string): string {
  return typed
    .normalize('NFKD')
    .replaceAll(/[\p{M}\p{C}\p{Z}]/gu, '')
    .toUpperCase()
    .toLowerCase();
}
