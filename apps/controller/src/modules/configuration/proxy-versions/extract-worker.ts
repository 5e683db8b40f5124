import { extractDescriptors } from '@flotilla/envoy-api';
import { serveOwner } from '@flotilla/kit';

// Entry of the process that `extractor.ts` starts. Errors are sent to the owner.
serveOwner(({ path, version }: { readonly path: string; readonly version: string }) =>
  extractDescriptors(path, version),
);
