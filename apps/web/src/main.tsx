import '@fontsource-variable/inter/wght.css';
import './app/mantine-styles.ts';
import './app/global.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { loadSession, retryFailedReads, watchOtherTabs } from './api/index.ts';
import { App } from './app/app.tsx';

void loadSession();
watchOtherTabs();
retryFailedReads();

const root = document.getElementById('root');
if (!root) throw new Error('the page has no element #root');
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
