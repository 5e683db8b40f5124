import { useEffect } from 'react';
import { routes, useApi } from '../api/index.ts';

const PRODUCT = 'Flotilla';

/** What the installation is called; the product's name until that is known. */
export function useInstallation(): string {
  return useApi(routes.directory.realms, {}, { topics: ['setting'] }).data?.body.installation ?? PRODUCT;
}

/** Names the page and the installation in the browser's title: several installations are open side by side. */
export function useDocumentTitle(page: string): void {
  const installation = useInstallation();
  useEffect(() => {
    document.title = `${page} · ${installation}`;
  }, [page, installation]);
}
