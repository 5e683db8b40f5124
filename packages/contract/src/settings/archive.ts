import { findDownloadAddressProblem } from '@flotilla/kit/download-address';
import * as z from 'zod';
import { defineSettings } from './define.ts';

/** Explains why an address cannot be that of a release archive, whose `index.json` is below it. Undefined: it can. */
export function findArchiveAddressProblem(address: string): string | undefined {
  const problem = findDownloadAddressProblem(address);
  if (problem !== undefined) return problem;
  return /[?#]/.test(address) ? 'must not have a query or a fragment' : undefined;
}

/** Where controllers read the list of releases that hosts may install. */
export const ARCHIVE_SETTINGS = defineSettings({
  key: 'archive',
  title: 'Release archive',
  scope: 'installation',
  area: 'operations',
  refusedWhole: true,
  schema: z.strictObject({
    /** The archive's `index.json` is below this address; null: that of SVC_ARCHIVE_URL. */
    archive_url: z
      .url({ protocol: /^https?$/ })
      .max(512)
      .superRefine((address, ctx) => {
        const message = findArchiveAddressProblem(address);
        if (message !== undefined) ctx.addIssue({ code: 'custom', message });
      })
      .nullable()
      .default(null),
  }),
});
