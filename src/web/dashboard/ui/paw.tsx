/** The paw of the docs page and of the icon of the window. */

export function Paw({ size }: { readonly size: number }) {
  return (
    <svg viewBox="0 0 32 32" width={size} height={size} aria-hidden="true">
      <g fill="currentColor">
        <ellipse cx="8.5" cy="14" rx="2.6" ry="3.4" />
        <ellipse cx="13" cy="9" rx="2.6" ry="3.6" />
        <ellipse cx="19" cy="9" rx="2.6" ry="3.6" />
        <ellipse cx="23.5" cy="14" rx="2.6" ry="3.4" />
        <path d="M16 14.5c-3.6 0-7 4.2-7 7.3 0 2 1.5 3 3.2 3 1.5 0 2.4-.7 3.8-.7s2.3.7 3.8.7c1.7 0 3.2-1 3.2-3 0-3.1-3.4-7.3-7-7.3z" />
      </g>
    </svg>
  )
}
