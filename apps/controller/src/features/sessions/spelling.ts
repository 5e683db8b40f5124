/**
 * One and the same for all spellings that some directory may take for one name: in any case, with other spaces, accents or
 * widths of letters, with what is not seen (RFC 4518, section 2; Active Directory looks away from accents, too). Coarser than any of
 * them, and without white space. For counting what is tried alone: names that are not the same here may count as one.
 */
export function foldName(typed: string): string {
  return typed
    .normalize('NFKD')
    .replaceAll(/[\p{M}\p{C}\p{Z}]/gu, '')
    .toUpperCase()
    .toLowerCase();
}
