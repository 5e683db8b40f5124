import { listDocumentTemplates } from '../api-documents/index.ts';
import type { RouteSource, TemplateSource } from './knowledge.ts';
import { SERVED_ROUTES } from './served-routes.ts';

/** Where the collector and the rewrite of stored names get templates from. */
export const NAME_SOURCES: { readonly routes: RouteSource; readonly templates: readonly TemplateSource[] } = {
  routes: SERVED_ROUTES,
  templates: [listDocumentTemplates],
};
