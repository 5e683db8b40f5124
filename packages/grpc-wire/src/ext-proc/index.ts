export { HeaderList, HeaderName } from './header-list.ts';
export { type ProcessingRequestKind, ProcessingRequestReader } from './processing-request.ts';
export { RecentTexts } from './recent-texts.ts';
export { MalformedMessage } from './wire-cursor.ts';
