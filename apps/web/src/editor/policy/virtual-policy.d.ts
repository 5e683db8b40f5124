declare module 'virtual:policy' {
  export const messages: readonly import('./to-messages.ts').PolicyMessage[];
}
