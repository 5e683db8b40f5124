import { lazyRouteComponent } from '@tanstack/react-router';
import { routes } from '../../api/index.ts';
import { defineScreens } from '../../app/screens.ts';

export const screens = defineScreens({
  pages: {
    '/p/$project/traffic/documents': lazyRouteComponent(() => import('./documents-page.tsx'), 'ApiDocumentsPage'),
    '/p/$project/traffic/documents/$documentId': lazyRouteComponent(
      () => import('./document-page.tsx'),
      'ApiDocumentPage',
    ),
  },
  actions: [
    {
      label: 'API documents',
      to: '/p/$project/traffic/documents',
      needs: routes.apiDocument.list,
      words: 'openapi swagger specification coverage shadow apis differences',
    },
  ],
});

declare module '../../app/screens.ts' {
  interface AllScreens {
    apiDocuments: typeof screens;
  }
}
