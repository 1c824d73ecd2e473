/**
 * The pages' Content-Security-Policy demands Trusted Types: the browser refuses text where it would
 * become HTML. Mantine writes its style sheets that way; text without "<" can't become an element.
 */
interface TrustedTypes {
  createPolicy(name: string, rules: { createHTML: (text: string) => string | null }): unknown;
}

export const withoutElements = (text: string): string | null => (text.includes("<") ? null : text);

(globalThis as { trustedTypes?: TrustedTypes }).trustedTypes?.createPolicy("default", { createHTML: withoutElements });
