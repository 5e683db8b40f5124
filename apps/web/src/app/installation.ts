import { useEffect } from 'react';
import { routes, useApi } from '../api/index.ts';

const PRODUCT = 'Flotilla';

/** Returns the name of the installation; the product name until that is loaded. */
export function useInstallation(): string {
  return useApi(routes.directory.realms, {}, { topics: ['setting'] }).data?.body.installation ?? PRODUCT;
}

/** Sets the document title to page and installation, because users keep several installations open. */
export function useDocumentTitle(page: string): void {
  const installation = useInstallation();
  useEffect(() => {
    document.title = `${page} · ${installation}`;
  }, [page, installation]);
}
