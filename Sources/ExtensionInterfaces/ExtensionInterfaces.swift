// The sources of this module are the .varlink files beside this one, of which VarlinkPlugin makes Swift, and the rules
// about names in them that Varlink cannot express.
