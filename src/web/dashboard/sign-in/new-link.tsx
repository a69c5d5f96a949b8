/** How to get a new set-up link: most owners did not install the store themselves. */

export function NewLink() {
  return (
    <>
      <p>
        Ask the person who installed the store for a new link. On the computer that the store runs on, this command
        prints it:
      </p>
      <code className="command">petstore owner reset</code>
    </>
  )
}

export function ForgotPassword() {
  return (
    <details>
      <summary>Forgot your password?</summary>
      <p>A new set-up link lets you choose another one. Your animals, orders and keys stay.</p>
      <NewLink />
    </details>
  )
}
