export {
  ApiError,
  call,
  OfflineError,
  openEvents,
  type RouteRef,
  routes,
  type SettingKindRef,
  settingKinds,
} from './call.ts';
export { fieldError } from './field-error.ts';
export { queryClient } from './query-client.ts';
export { retryFailedReads } from './retry-failed-reads.ts';
export {
  loadSession,
  type SessionUser,
  signIn,
  signInWithFactor,
  signInWithPasskey,
  signOut,
  useSession,
  watchOtherTabs,
} from './session.ts';
export { beginProviderSignIn, forgetSignInNews, readSignInNews } from './sign-in-news.ts';
export { type ApiList, invalidate, keepAnswer, type Loaded, questionOf, useApi, useApiList } from './use-api.ts';
