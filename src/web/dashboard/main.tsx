/** Entry point of the dashboard's page. */

import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { loadSession } from './session/session.ts'
import { printInLightScheme } from './theme/paper.ts'

// A fragment of the set-up link is a secret: `sign-in/set-up-page.tsx` removes it from the address.
printInLightScheme()
const root = document.getElementById('dashboard')
// Until then, the page shows the outline that its HTML has.
if (root !== null) void loadSession().finally(() => createRoot(root).render(<App />))
