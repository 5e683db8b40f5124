export { BundleDownloads } from './bundle-downloads.ts';
export { createBundleRoutes } from './routes.ts';
